import Testing
import Transducers

@Suite("ParallelRule")
struct ParallelRuleTests {
    struct Flag: FailableState {
        var isTerminal: Bool
        var isFailure = false
    }

    enum KeepsFailures: ParallelRule {
        static var termination: ParallelTermination { .all }
        static var sideFailure: SideFailurePolicy { .isKept }
    }

    /// Whether products are terminal whose sides are: neither, the first, the second, both.
    static func ends<Rule: ParallelRule>(_ rule: Rule.Type) -> [Bool] {
        [(false, false), (true, false), (false, true), (true, true)].map { first, second in
            ParallelState<Flag, Flag, Rule>(
                first: Flag(isTerminal: first), second: Flag(isTerminal: second)
            ).isTerminal
        }
    }

    @Test func `the rules end products exactly when they say`() {
        #expect(Self.ends(EndsWithAny.self) == [false, true, true, true])
        #expect(Self.ends(EndsWithAll.self) == [false, false, false, true])
        #expect(Self.ends(EndsWithFirst.self) == [false, true, false, true])
        #expect(Self.ends(EndsWithSecond.self) == [false, false, true, true])
    }

    @Test func `a failed side ends the product unless the rule keeps failures`() {
        let live = Flag(isTerminal: false)
        let failed = Flag(isTerminal: true, isFailure: true)
        let stopped = ParallelState<Flag, Flag, EndsWithAll>(first: failed, second: live)
        #expect(stopped.isTerminal)
        #expect(stopped.isFailure)
        let kept = ParallelState<Flag, Flag, KeepsFailures>(first: live, second: failed)
        #expect(!kept.isTerminal)
        #expect(kept.isFailure)
    }

    @Test func `a state that isn't terminal has not failed`() {
        let wrong = Flag(isTerminal: false, isFailure: true)
        let state = ParallelState<Flag, Flag, EndsWithAny>(first: wrong, second: wrong)
        #expect(!state.isTerminal)
        #expect(!state.isFailure)
    }
}
