import Testing
import TransducerTesting
import Transducers

@Suite("Exhaustivity")
struct ExhaustivityTests {
    let recorder = FailureRecorder()

    func makeDoor() -> TestTransducer<Door> {
        let door = TestTransducer<Door>(initialState: .closed, reporter: recorder.reporter)
        door.exhaustivity = .off
        door.timeout = .zero
        return door
    }

    @Test func `off: what isn't stated is skipped, and dropped at the end`() async {
        let door = makeDoor()
        await door.send(.open)
        await door.send(.close)
        #expect(door.state == .closed)
        await door.send(.hum)
        await door.finish()
        recorder.expectNothing()
    }

    @Test func `off: only what the closure sets is compared`() async {
        let counter = TestTransducer<Counter>(
            initialState: Counter.State(), reporter: recorder.reporter)
        counter.exhaustivity = .off
        await counter.send(.increment)
        await counter.send(.increment) { $0.name = "c" }
        await counter.send(.increment) { $0.count = 4 }
        recorder.expect(
            """
            The state after sending Counter.Event.increment is not as stated.

                  Counter.State(
                -   count: 4,
                +   count: 3,
                    name: "c"
                  )

            (Expected: -, Actual: +)
            """)
    }

    @Test func `off: events before the expected one are skipped`() async {
        let door = makeDoor()
        await door.send(.ask)
        await door.receive(.answered(2))
        recorder.expectNothing()
        await door.receive(.answered(1))
        recorder.expect(
            """
            Expected to receive Door.Event.answered(1), and nothing was received.
            No effect is live that could send an event.
            """)
    }

    @Test func `off: an event that doesn't come leaves the others`() async {
        let door = makeDoor()
        await door.send(.ask)
        await door.receive(.answered(3))
        recorder.expect(
            """
            Expected to receive Door.Event.answered(3), and Door.Event.answered(1) was received.

                - Door.Event.answered(3)
                + Door.Event.answered(1)

            (Expected: -, Actual: +)
            """)
        await door.receive(.answered(1))
        recorder.expectNothing()
    }

    @Test func `off: outputs before the expected one are skipped`() async {
        let door = makeDoor()
        await door.send(.open)
        await door.send(.close)
        door.expect(output: .bangs)
        recorder.expectNothing()
        door.expect(output: .creaks)
        recorder.expect("Expected the output Door.Output.creaks, and there is none.")
    }

    @Test func `off: an output that doesn't come leaves the others`() async {
        let door = makeDoor()
        await door.send(.open)
        door.expect(output: .bangs)
        recorder.expect(
            """
            The output is not as stated.

                - Door.Output.bangs
                + Door.Output.creaks

            (Expected: -, Actual: +)
            """)
        door.expectOutput { $0 == .creaks }
        recorder.expectNothing()
    }

    @Test func `off: released without finish, nothing is reported`() async {
        var door: TestTransducer<Door>? = makeDoor()
        await door?.send(.open)
        door = nil
        recorder.expectNothing()
    }
}
