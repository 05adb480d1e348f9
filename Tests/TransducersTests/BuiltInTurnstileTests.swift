import BuiltInMachines
import Testing
import Transducers

@Suite("Turnstile")
struct BuiltInTurnstileTests {
    /// What one pair of state and event does: the state after it and the output, or what would
    /// be accepted instead.
    enum Outcome: Equatable {
        case goes(to: Turnstile.State, output: Turnstile.Output)
        case refuses(accepts: [String])
    }

    static let table: [(state: Turnstile.State, event: Turnstile.Event, outcome: Outcome)] = [
        (.locked, .coin, .goes(to: .unlocked, output: .unlocked)),
        (.locked, .push, .refuses(accepts: ["COIN"])),
        (.unlocked, .coin, .refuses(accepts: ["PUSH"])),
        (.unlocked, .push, .goes(to: .locked, output: .locked)),
    ]

    @Test func `begins locked and never ends`() {
        #expect(Turnstile.initialState == .locked)
        for state in Turnstile.State.allCases { #expect(!state.isTerminal) }
    }

    @Test func `the table has every pair of state and event once`() {
        for state in Turnstile.State.allCases {
            for event in Turnstile.Event.allCases {
                let rows = Self.table.filter { $0.state == state && $0.event == event }
                #expect(rows.count == 1, "\(state) and \(event)")
            }
        }
    }

    @Test(arguments: table)
    func `does what the table says`(
        state: Turnstile.State, event: Turnstile.Event, outcome: Outcome
    ) {
        var after = state
        do {
            let output = try Turnstile.update(&after, event: event)
            #expect(outcome == .goes(to: after, output: output))
        } catch let refusal as Rejection {
            #expect(outcome == .refuses(accepts: refusal.accepts))
            #expect(after == state)
        } catch {
            Issue.record("an error that is no refusal: \(error)")
        }
    }
}
