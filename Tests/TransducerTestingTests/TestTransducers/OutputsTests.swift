import Testing
import TransducerTesting
import Transducers

@Suite("TestTransducer: outputs")
struct OutputsTests {
    let recorder = FailureRecorder()

    func makeCounter() -> TestTransducer<Counter> {
        TestTransducer(initialState: Counter.State(), reporter: recorder.reporter)
    }

    @Test func `outputs are stated in the order in which they came`() async {
        let counter = makeCounter()
        await counter.send(.increment) { $0.count = 1 }
        await counter.send(.increment) { $0.count = 2 }
        await counter.send(.increment) { $0.count = 3 }
        counter.expect(output: 1)
        counter.expect(outputs: [2, 3])
        counter.expect(outputs: [])
        await counter.finish()
        recorder.expectNothing()
    }

    @Test func `a wrong output fails with the difference`() async {
        let counter = makeCounter()
        await counter.send(.increment) { $0.count = 1 }
        counter.expect(output: 2)
        recorder.expect(
            """
            The output is not as stated.

                - 2
                + 1

            (Expected: -, Actual: +)
            """)
        await counter.finish()
        recorder.expectNothing()
    }

    @Test func `a list of wrong outputs fails with the difference`() async {
        let counter = makeCounter()
        await counter.send(.increment) { $0.count = 1 }
        counter.expect(outputs: [1, 2])
        recorder.expect(
            """
            The outputs are not as stated.

                  [
                    [0]: 1
                -   [1]: 2
                  ]

            (Expected: -, Actual: +)
            """)
    }

    @Test func `an output that doesn't come fails`() {
        let counter = makeCounter()
        counter.expect(output: 1)
        recorder.expect("Expected the output 1, and there is none.")
        counter.expectOutput { $0 > 0 }
        recorder.expect("Expected an output, and there is none.")
    }

    @Test func `an output is stated by a predicate`() async {
        let counter = makeCounter()
        await counter.send(.increment) { $0.count = 1 }
        counter.expectOutput { $0 > 0 }
        await counter.send(.increment) { $0.count = 2 }
        counter.expectOutput { $0 > 2 }
        recorder.expect("The output is not as stated: 2.")
        await counter.finish()
        recorder.expectNothing()
    }

    @Test func `an output that isn't stated fails at the end`() async {
        let counter = makeCounter()
        await counter.send(.increment) { $0.count = 1 }
        await counter.finish()
        recorder.expect(
            """
            These things were not stated:

            Outputs (expect(output:)):
                1
            """)
    }

    @Test func `silent outputs and Void are none`() async {
        let door = TestTransducer<Door>(initialState: .closed, reporter: recorder.reporter)
        await door.send(.ring)
        door.expectEffect()
        await door.finish()
        enum Mute: Transducer {
            enum State: NonTerminal, Equatable { case mute }
            enum Event: Sendable { case anything }
            static func update(_ state: inout State, event: Event) {}
        }
        let mute = TestTransducer<Mute>(initialState: .mute, reporter: recorder.reporter)
        await mute.send(.anything)
        await mute.finish()
        recorder.expectNothing()
    }

    @Test func `the initial output is the first to be stated`() async {
        enum Moore: Transducer {
            enum State: NonTerminal, Equatable { case off, on }
            enum Event: Sendable { case toggle }
            static func initialOutput(initialState: State) -> Bool? { initialState == .on }
            static func update(_ state: inout State, event: Event) -> Bool {
                state = state == .on ? .off : .on
                return state == .on
            }
        }
        let lamp = TestTransducer<Moore>(initialState: .on, reporter: recorder.reporter)
        await lamp.send(.toggle) { $0 = .off }
        lamp.expect(outputs: [true, false])
        await lamp.finish()
        recorder.expectNothing()
    }
}
