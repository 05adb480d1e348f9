import Testing
import TransducerTesting
import Transducers

@Suite("Exploration: text and diagrams")
struct ExplorationTests {
    @Test func `the summary names each kind of oddity`() throws {
        let text = try explore(Turnstile.self).description
        #expect(
            text == """
                4 states reachable, 5 transitions
                terminal:
                    dismantled
                dead ends:
                    jammed (by coin, kick)
                unreachable:
                    painted
                unhandled:
                    push in locked: not now
                    kick in locked: not now
                    dismantle in unlocked: not now
                    coin in jammed: not now
                    push in jammed: not now
                    kick in jammed: not now
                    dismantle in jammed: not now
                """)
    }

    @Test func `the summary of a machine without oddities is short`() throws {
        enum Lamp: Transducer {
            enum State: NonTerminal, Hashable { case on }
            enum Event: CaseIterable, Sendable { case shine }
            static func update(_ state: inout State, event: Event) {}
        }
        let text = try explore(Lamp.self, from: .on).description
        #expect(
            text == """
                1 state reachable, 1 transition
                terminal: none
                dead ends:
                    on (initial state)
                unreachable: none
                unhandled: none
                """)
    }

    @Test func `Mermaid gets a state diagram`() throws {
        let text = try explore(Turnstile.self).mermaid
        #expect(
            text == """
                stateDiagram-v2
                    state "locked" as s0
                    state "unlocked" as s1
                    state "dismantled" as s2
                    state "jammed" as s3
                    state "painted" as s4
                    [*] --> s0
                    s0 --> s1 : coin
                    s0 --> s2 : dismantle
                    s1 --> s1 : coin
                    s1 --> s0 : push
                    s1 --> s3 : kick
                    s2 --> [*]

                """)
    }

    @Test func `DOT gets a graph`() throws {
        let text = try explore(Turnstile.self).dot
        #expect(
            text == """
                digraph routes {
                    rankdir=LR;
                    node [shape=box, style=rounded];
                    s0 [label="locked"];
                    s1 [label="unlocked"];
                    s2 [label="dismantled", peripheries=2];
                    s3 [label="jammed", style="rounded,filled"];
                    s4 [label="painted", style="rounded,dashed"];
                    initial [shape=point, label=""];
                    initial -> s0;
                    s0 -> s1 [label="coin"];
                    s0 -> s2 [label="dismantle"];
                    s1 -> s1 [label="coin"];
                    s1 -> s0 [label="push"];
                    s1 -> s3 [label="kick"];
                }

                """)
    }

    /// A machine whose states and events have names with a meaning in diagrams.
    enum Named: Transducer {
        struct State: NonTerminal, Hashable { var name: String }
        typealias Event = String
        static func update(_ state: inout State, event: String) { state.name = event }
    }

    @Test func `characters of diagram syntax are escaped`() throws {
        let result = try explore(
            Named.self, from: .init(name: "a"), events: ["x;#:"])
        #expect(result.mermaid.contains("    s0 --> s1 : #quot;x#59;#35;#58;#quot;\n"))
        #expect(result.dot.contains(#"    s0 -> s1 [label="\"x;#:\""];"#))
        let slash = try explore(Named.self, from: .init(name: "a"), events: [#"\"#])
        #expect(slash.dot.contains(##"    s0 -> s1 [label="#\"\\\"#"]"##))
    }
}
