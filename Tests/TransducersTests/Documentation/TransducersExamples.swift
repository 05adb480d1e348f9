import Testing
import Transducers

/// The example of the landing page.
@Suite("Article: Transducers")
struct TransducersExamples {
    enum Counter: Transducer {
        struct State: NonTerminal { var count = 0 }
        enum Event { case increment, reset }

        static func update(_ state: inout State, event: Event) -> Int {
            state.count = event == .increment ? state.count + 1 : 0
            return state.count
        }
    }

    @Test func `the counter counts`() {
        var state = Counter.State()
        #expect(Counter.update(&state, event: .increment) == 1)
        #expect(Counter.update(&state, event: .increment) == 2)
        #expect(Counter.update(&state, event: .reset) == 0)
    }
}
