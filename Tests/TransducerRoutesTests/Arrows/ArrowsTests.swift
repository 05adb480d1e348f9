import Testing
import TransducerRoutes

@Suite("Arrows")
struct ArrowsTests {
    @Test func `an arrow joins states and patterns in all four ways`() {
        let both: Transition<Stop> = .s0 => .s1
        let from: Transition<Stop> = .any => .s1
        let to: Transition<Stop> = .s0 => .any
        let neither: Transition<Stop> = .any => .any
        #expect(both == Transition(fromState: .s0, toState: .s1))
        #expect(from == Transition(fromState: .any, toState: .s1))
        #expect(to == Transition(fromState: .s0, toState: .any))
        #expect(neither == Transition(fromState: .any, toState: .any))
    }

    @Test func `array × array gives exactly the product`() {
        let set: TransitionSet<Stop> = [.s0, .s1] => [.s2, .s3]
        let product: [Transition<Stop>] = [.s0 => .s2, .s0 => .s3, .s1 => .s2, .s1 => .s3]
        #expect(set.transitions == product)
    }

    @Test func `a list on one side gives one arrow for each of its states`() {
        let left: TransitionSet<Stop> = [.s0, .s1] => .s2
        let right: TransitionSet<Stop> = .s0 => [.s1, .s2]
        let leave: TransitionSet<Stop> = [.s0, .s1] => .any
        let enter: TransitionSet<Stop> = .any => [.s1, .s2]
        #expect(left.transitions.map(\.description) == ["s0 => s2", "s1 => s2"])
        #expect(right.transitions.map(\.description) == ["s0 => s1", "s0 => s2"])
        #expect(leave.transitions.map(\.description) == ["s0 => any", "s1 => any"])
        #expect(enter.transitions.map(\.description) == ["any => s1", "any => s2"])
    }

    @Test func `lists make routes of a machine as well`() {
        let both: Route<Stop, Call> = [.s0, .s1] => [.s2, .s3]
        let left: Route<Stop, Call> = [.s0, .s1] => .s2
        let right: Route<Stop, Call> = .s0 => [.s1, .s2]
        let leave: Route<Stop, Call> = [.s0, .s1] => .any
        let enter: Route<Stop, Call> = .any => [.s1, .s2]
        #expect(both.transitions.transitions.count == 4)
        #expect(left.transition == (.any => .s2))
        #expect(right.transition == (.s0 => .any))
        #expect(leave.transition == (.any => .any))
        #expect(enter.transition == (.any => .any))
    }

    @Test func `strings are states and events once they are declared so`() {
        let arrow: Transition<Word> = "locked" => "unlocked"
        #expect(arrow.description == "locked => unlocked")
    }
}

/// A state that is a text.
struct Word: StateType, EventType, ExpressibleByStringLiteral, CustomStringConvertible {
    let description: String

    init(stringLiteral value: String) { description = value }
}
