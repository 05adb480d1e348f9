import Testing
import TransducerRoutes

@Suite("Diagrams of tables")
struct RouteDiagramTests {
    @Test func `a table as Mermaid`() {
        #expect(
            TableGate.routes.diagram(initial: .locked).mermaid == """
                stateDiagram-v2
                    state "locked" as s0
                    state "unlocked" as s1
                    state "broken" as s2
                    state "any" as s3
                    [*] --> s0
                    s0 --> s1 : coin
                    s1 --> s0 : push
                    s3 --> s2 : kick
                    s2 --> [*]

                """)
    }

    @Test func `a table for Graphviz`() {
        #expect(
            TableGate.routes.diagram(initial: .locked).dot == """
                digraph routes {
                    rankdir=LR;
                    node [shape=box, style=rounded];
                    s0 [label="locked"];
                    s1 [label="unlocked"];
                    s2 [label="broken", peripheries=2];
                    s3 [label="any", shape=plaintext];
                    initial [shape=point, label=""];
                    initial -> s0;
                    s0 -> s1 [label="coin"];
                    s1 -> s0 [label="push"];
                    s3 -> s2 [label="kick"];
                }

                """)
    }

    @Test func `guards, any events, stays and moves are shown as they are`() {
        let table = StopTable { table in
            table.on(.go, .s0 => .s1, when: .named("paid") { _ in true })
            table.on(.any, .s1 => .any, when: .passes { _ in true })
            table.move(.s1 => .any)
            table.move(.any => .s2)
        }
        #expect(
            table.diagram(states: [], events: []).mermaid == """
                stateDiagram-v2
                    state "s0" as s0
                    state "s1" as s1
                    state "any" as s2
                    state "s2" as s3
                    s0 --> s1 : go [paid]
                    s1 --> s1 : any event [guarded]
                    s1 --> s2 : move
                    s2 --> s3 : move

                """)
    }

    @Test func `with all states and events known, mappings are drawn exactly`() {
        let table = StopTable { table in
            table.on(.go, .s0 => .s1)
            table.map("load") { event, state in event == .back && state == .s1 ? .s0 : nil }
        }
        let diagram = table.diagram()
        #expect(diagram.links.map(\.isComputed) == [false, true])
        #expect(diagram.dot.contains(#"s1 -> s0 [label="back (load)", style=dashed];"#))
        #expect(diagram.mermaid.contains("s1 --> s0 : back (load)"))
    }

    @Test func `without all states, mappings lead from any state to a computed one`() {
        let table = RouteTable<Word, Word, Never> { table in
            table.on("go", "a" => "b")
            table.map("load") { _, _ in nil }
            table.request("ask") { _ in nil }
            table.mapStates("near") { _ in [] }
        }
        #expect(
            table.diagram().dot == """
                digraph routes {
                    rankdir=LR;
                    node [shape=box, style=rounded];
                    s0 [label="a"];
                    s1 [label="b"];
                    s2 [label="any", shape=plaintext];
                    s3 [label="computed", style=dashed];
                    s0 -> s1 [label="go"];
                    s2 -> s3 [label="(ask)", style=dashed];
                    s2 -> s3 [label="(load)", style=dashed];
                    s2 -> s3 [label="move (near)", style=dashed];
                }

                """)
    }

    /// A machine with a region that lists its states.
    private enum Player: StateType, CaseIterable {
        case off
        case on(Stop)

        static var allCases: [Player] { [.off] + Stop.allCases.map(on) }

        var stop: Stop? { if case .on(let stop) = self { stop } else { nil } }
    }

    @Test func `a nested region is drawn around its states`() {
        let inner = StopTable { $0.on(.go, [.s0 => .s1, .s1 => .s2]) }
        let table = RouteTable<Player, Call, String> { table in
            let on = table.region("on", inner, extract: \.stop, embed: { .on($0) })
            table.on(.jump, .off => .on(.s0))
            table.on(.back, leaving: on, to: .off)
        }
        #expect(
            table.diagram(initial: .off).mermaid == """
                stateDiagram-v2
                    state "off" as s0
                    state "on" as r0 {
                        state "s0" as r0s0
                        state "s1" as r0s1
                        state "s2" as r0s2
                        state "s3" as r0s3
                        state "any of on" as r0s4
                        r0s0 --> r0s1 : go
                        r0s1 --> r0s2 : go
                    }
                    [*] --> s0
                    s0 --> r0s0 : jump
                    r0s4 --> s0 : back

                """)
        #expect(
            table.diagram().dot == """
                digraph routes {
                    rankdir=LR;
                    node [shape=box, style=rounded];
                    s0 [label="off"];
                    subgraph cluster_r0 {
                        label="on";
                        r0s0 [label="s0"];
                        r0s1 [label="s1"];
                        r0s2 [label="s2"];
                        r0s3 [label="s3"];
                        r0s4 [label="any of on", shape=plaintext];
                        r0s0 -> r0s1 [label="go"];
                        r0s1 -> r0s2 [label="go"];
                    }
                    s0 -> r0s0 [label="jump"];
                    r0s4 -> s0 [label="back"];
                }

                """)
    }

    @Test func `Mermaid gets a flat diagram where an arrow leads from region to region`() {
        let inner = StopTable { $0.on(.go, .s0 => .s1) }
        struct Two: StateType {
            var isLeft: Bool
            var stop: Stop
        }
        let table = RouteTable<Two, Call, String> { table in
            for (name, isLeft) in [("left", true), ("right", false)] {
                table.region(
                    name, inner, extract: { $0.isLeft == isLeft ? $0.stop : nil },
                    embed: { Two(isLeft: isLeft, stop: $0) })
            }
            table.on(
                .jump, Two(isLeft: true, stop: .s1) => Two(isLeft: false, stop: .s0))
        }
        let text = table.diagram().mermaid
        #expect(text.contains(#"    state "left / s0" as r0s0"#))
        #expect(text.contains(#"    state "right / s1" as r1s1"#))
        #expect(text.contains("    r0s1 --> r1s0 : jump"))
        #expect(text.contains("    r1s0 --> r1s1 : go"))
        #expect(!text.contains("{"))
        #expect(table.diagram().dot.contains("subgraph cluster_r1 {"))
    }

    @Test func `characters of the syntax are written as text`() {
        enum Text: StateType, CustomStringConvertible {
            case odd

            var description: String { "a: \"b\"; #c\\\nd" }
        }
        let table = RouteTable<Text, Call, Never> { $0.on(.go, .odd => .odd) }
        #expect(
            table.diagram().mermaid.contains(
                #"state "a#58; #quot;b#quot;#59; #35;c\ d" as s0"#))
        #expect(table.diagram().dot.contains(#"s0 [label="a: \"b\"; #c\\ d"];"#))
    }

    @Test func `labels show the values that a case carries`() {
        enum Payload: StateType {
            case one(Int)
            case named(x: Int, y: Int)
            case pair(Stop, String)
            case inner(Level)
        }
        let table = RouteTable<Payload, Add, Never> { table in
            table.on(.add(1), .one(1) => .named(x: 1, y: 2))
            table.on(.reset, .pair(.s1, "t") => .inner(.at(3)))
        }
        let diagram = table.diagram()
        #expect(
            diagram.nodes.map(\.label)
                == ["one(1)", "named(x: 1, y: 2)", "pair(s1, t)", "inner(at(3))"])
        #expect(diagram.links.map(\.label) == ["add(1)", "reset"])
        #expect(diagram.nodes.allSatisfy { $0.kind == .state })
    }
}
