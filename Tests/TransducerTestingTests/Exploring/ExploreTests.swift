import Testing
import TransducerTesting
import Transducers

/// A turnstile that can break, with an unreachable state and one without an exit.
enum Turnstile: Transducer, InitialState {
    enum State: Terminable, Hashable, CaseIterable {
        case locked, unlocked, jammed, dismantled, painted
        var isTerminal: Bool { self == .dismantled }
    }
    enum Event: CaseIterable, Sendable { case coin, push, kick, dismantle }
    static var initialState: State { .locked }

    static func update(_ state: inout State, event: Event) throws -> Bool {
        switch (state, event) {
        case (.locked, .coin): state = .unlocked
        case (.unlocked, .push): state = .locked
        case (.unlocked, .kick): state = .jammed
        case (.unlocked, .coin): return false
        case (.locked, .dismantle): state = .dismantled
        default: throw Rejection("not now")
        }
        return true
    }
}

@Suite("explore")
struct ExploreTests {
    @Test func `every reachable pair is tried, in breadth-first order`() throws {
        let result = try explore(Turnstile.self)
        #expect(result.reachable == [.locked, .unlocked, .dismantled, .jammed])
        #expect(
            result.transitions.map { "\($0.from) \($0.event) \($0.to) \($0.outputs)" } == [
                "locked coin unlocked [true]", "locked dismantle dismantled [true]",
                "unlocked coin unlocked [false]", "unlocked push locked [true]",
                "unlocked kick jammed [true]",
            ])
    }

    @Test func `dead ends, final and unreachable states are found`() throws {
        let result = try explore(Turnstile.self)
        #expect(result.deadEnds == [.jammed])
        #expect(result.terminal == [.dismantled])
        #expect(result.unreachable == [.painted])
    }

    @Test func `refused pairs are unhandled, and those that the predicate names`() throws {
        let refused = try explore(Turnstile.self).unhandled
        #expect(
            refused.map { "\($0.state) \($0.event) \($0.reason)" } == [
                "locked push not now", "locked kick not now", "unlocked dismantle not now",
                "jammed coin not now", "jammed push not now", "jammed kick not now",
                "jammed dismantle not now",
            ])
        #expect(refused.allSatisfy { $0.isRejection })
        let said = try explore(Turnstile.self, isUnhandled: { $0.outputs == [false] }).unhandled
        #expect(said.count == 8)
        #expect(said.contains { $0.state == .unlocked && $0.event == .coin && !$0.isRejection })
    }

    @Test func `the shortest path to a state is reported`() throws {
        let result = try explore(Turnstile.self)
        #expect(result.shortestPath(to: .jammed) == [.coin, .kick])
        #expect(result.shortestPath(to: .locked) == [])
        #expect(result.shortestPath(to: .painted) == nil)
    }

    @Test func `only the given events are tried, from the given state`() throws {
        let result = try explore(
            Turnstile.self, from: .unlocked, states: [.locked, .jammed], events: [.push])
        #expect(result.reachable == [.unlocked, .locked])
        #expect(result.deadEnds == [.locked])
        #expect(result.unreachable == [.jammed])
        let all = try explore(Turnstile.self, from: .jammed)
        #expect(all.reachable == [.jammed])
        #expect(all.unreachable == [])
    }

    @Test func `a machine with a terminal initial state has one state`() throws {
        let result = try explore(Turnstile.self, from: .dismantled)
        #expect(result.reachable == [.dismantled])
        #expect(result.terminal == [.dismantled])
        #expect(result.transitions.isEmpty)
        #expect(result.unhandled.isEmpty)
    }

    /// A machine that counts forever. Its event 0 causes itself without end.
    enum Endless: EffectTransducer {
        struct State: NonTerminal, Hashable { var count = 0 }
        typealias Event = Int
        static func update(_ state: inout State, event: Int) throws -> Effect? {
            state.count += event
            return event == 0 ? .event(0) : event == 2 ? .event(1) : nil
        }
    }

    @Test func `an endless machine reaches a bound, which is named`() {
        #expect(
            throws: ExplorationError.depthMaxReached(
                4, states: 5, example: "ExploreTests.Endless.State(count: 5)")
        ) { try explore(Endless.self, from: .init(), events: [1], depthMax: 4) }
        #expect(
            throws: ExplorationError.statesMaxReached(
                3, example: "ExploreTests.Endless.State(count: 3)")
        ) { try explore(Endless.self, from: .init(), events: [1], statesMax: 3) }
    }

    @Test func `the bounds are met exactly`() throws {
        let result = try explore(
            Turnstile.self, from: .locked, depthMax: 2, statesMax: 4)
        #expect(result.reachable.count == 4)
        #expect(throws: ExplorationError.self) {
            try explore(Turnstile.self, from: .locked, depthMax: 1)
        }
    }

    @Test func `the texts of the errors say what to do`() {
        #expect(
            ExplorationError.depthMaxReached(4, states: 5, example: "x").description
                == "there are states more than 4 events away from the initial one, after 5 "
                + "states: is the machine finite? If so, raise depthMax. Such a state: x")
        #expect(
            ExplorationError.statesMaxReached(3, example: "x").description
                == "there are more than 3 states: is the machine finite? If so, raise "
                + "statesMax. The next: x")
    }

    @Test func `immediate events are a part of the transition, and endless ones unhandled`() throws
    {
        enum Loop: EffectTransducer {
            enum State: NonTerminal, Hashable, CaseIterable { case a, b, c }
            enum Event: CaseIterable, Sendable { case hop, spin, second }
            static func update(_ state: inout State, event: Event) throws -> Effect? {
                switch event {
                case .hop where state == .a:
                    state = .b
                    return .event(.second)
                case .second where state == .b: state = .c
                case .spin: return .event(.spin)
                default: break
                }
                return nil
            }
        }
        let result = try explore(
            Loop.self, from: .a, states: Array(Loop.State.allCases))
        #expect(result.reachable == [.a, .c])
        #expect(result.unreachable == [.b])
        #expect(result.unhandled.map(\.state) == [.a, .c])
        #expect(result.unhandled.allSatisfy { !$0.isRejection && $0.reason.contains("1000") })
    }
}
