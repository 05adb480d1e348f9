import BuiltInMachines
import Testing
import Transducers

@Suite("Counter")
struct BuiltInCounterTests {
    static let exactMax = (1 << 53) - 1
    static let everything = ["increment", "decrement", "add", "reset"]

    @Test func `a counter starts at 0, without an initial output`() {
        #expect(Counter.initialState == Counter.State(count: 0))
        #expect(Counter.initialOutput(initialState: Counter.initialState) == nil)
        #expect(!Counter.initialState.isTerminal)
    }

    static let steps: [(before: Int, event: Counter.Event, after: Int)] = [
        (0, .increment, 1),
        (-1, .increment, 0),
        (exactMax - 1, .increment, exactMax),
        (0, .decrement, -1),
        (1, .decrement, 0),
        (1 - exactMax, .decrement, -exactMax),
        (0, .add(amount: 0), 0),
        (7, .add(amount: 5), 12),
        (7, .add(amount: -8), -1),
        (-exactMax, .add(amount: 2 * exactMax), exactMax),
        (exactMax, .add(amount: -2 * exactMax), -exactMax),
        (0, .reset, 0),
        (41, .reset, 0),
        (-exactMax, .reset, 0),
    ]

    @Test(arguments: steps)
    func `moves the count and outputs it`(before: Int, event: Counter.Event, after: Int) throws {
        var state = Counter.State(count: before)
        let output = try Counter.update(&state, event: event)
        #expect(state == Counter.State(count: after))
        #expect(output == after)
    }

    static let refusals: [(before: Int, event: Counter.Event)] = [
        (exactMax, .increment),
        (-exactMax, .decrement),
        (1, .add(amount: exactMax)),
        (-1, .add(amount: -exactMax)),
        (0, .add(amount: .max)),
        (0, .add(amount: .min)),
        (exactMax, .add(amount: .max)),
        (-exactMax, .add(amount: .min)),
    ]

    @Test(arguments: refusals)
    func `refuses to leave the exact integers, without a trap and without a change`(
        before: Int, event: Counter.Event
    ) {
        var state = Counter.State(count: before)
        let refusal = #expect(throws: Rejection.self) {
            try Counter.update(&state, event: event)
        }
        #expect(refusal?.accepts == Self.everything)
        #expect(state == Counter.State(count: before))
    }
}
