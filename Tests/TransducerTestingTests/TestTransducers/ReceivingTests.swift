import Testing
import TransducerTesting
import Transducers

@Suite("TestTransducer: receiving")
struct ReceivingTests {
    let recorder = FailureRecorder()

    func makeDoor(_ state: Door.State = .closed) -> TestTransducer<Door> {
        let door = TestTransducer<Door>(initialState: state, reporter: recorder.reporter)
        door.timeout = .zero
        return door
    }

    @Test func `an immediate event is received with the state after it alone`() async {
        let door = makeDoor()
        await door.send(.open) { $0 = .opening }
        #expect(door.state == .opening)
        await door.receive(.opened) { $0 = .open }
        #expect(door.state == .open)
        await door.skipEffects()
        door.skipOutputs()
        await door.finish()
        recorder.expectNothing()
    }

    @Test func `another event than the expected one fails with the difference`() async {
        let door = makeDoor()
        await door.send(.ask)
        await door.receive(.answered(7))
        recorder.expect(
            """
            Expected to receive Door.Event.answered(7), and Door.Event.answered(1) was received.

                - Door.Event.answered(7)
                + Door.Event.answered(1)

            (Expected: -, Actual: +)
            """)
        await door.receive(.answered(2))
        await door.finish()
        recorder.expectNothing()
    }

    @Test func `an event before the expected one is named`() async {
        let door = makeDoor()
        await door.send(.ask)
        await door.receive(.answered(2))
        recorder.expect(
            """
            Expected to receive Door.Event.answered(2), and Door.Event.answered(1) was received.
            The expected event comes later: one event comes before it.
            """)
        await door.receive(.answered(2))
        await door.finish()
        recorder.expectNothing()
    }

    @Test func `nothing to receive fails at once when no effect is live`() async {
        let door = makeDoor()
        door.timeout = .seconds(1_000)
        await door.receive(.close)
        recorder.expect(
            """
            Expected to receive Door.Event.close, and nothing was received.
            No effect is live that could send an event.
            """)
    }

    @Test func `nothing to receive in time names what is live and the next deadline`() async {
        let door = makeDoor()
        await door.send(.open) { $0 = .opening }
        await door.receive(.opened) { $0 = .open }
        await door.receive(.close)
        recorder.expect(
            """
            Expected to receive Door.Event.close, and nothing was received.
            Live for longer than 0.0 seconds:
                spring
            By the virtual clock, the next sleep ends in 3.0 seconds: advance(by:) to it.
            """)
        await door.skipEffects()
        door.skipOutputs()
    }

    @Test func `an event is received by a predicate`() async {
        let door = makeDoor()
        await door.send(.ask)
        await door.receive(where: { if case .answered = $0 { true } else { false } })
        await door.receive(where: { $0 == .close })
        recorder.expect(
            "Expected to receive an event for which the predicate holds, and "
                + "Door.Event.answered(2) was received.")
        await door.finish()
        recorder.expectNothing()
    }

    @Test func `a wrong change on receiving fails with the difference`() async {
        let door = makeDoor()
        await door.send(.open) { $0 = .opening }
        await door.receive(.opened) { $0 = .closed }
        recorder.expect(
            """
            The state after receiving Door.Event.opened is not as stated.

                - Door.State.closed
                + Door.State.open

            (Expected: -, Actual: +)
            """)
        await door.skipEffects()
        door.skipOutputs()
    }

    @Test func `an effect's event that is refused has to be stated as such`() async {
        let door = makeDoor(.open)
        await door.send(.alarm)
        door.expectEffect(id: "alarm")
        await door.receive(.open)
        recorder.expect("Door.Event.open was received and refused: not now (accepts open)")
        await door.send(.alarm)
        door.expectEffect(id: "alarm")
        await door.receiveRejected(.open, reason: "not now", accepts: ["open"])
        await door.finish()
        recorder.expectNothing()
    }

    @Test func `an effect's event that isn't refused fails where a refusal was stated`() async {
        let door = makeDoor()
        await door.send(.alarm)
        door.expectEffect(id: "alarm")
        await door.receiveRejected(.open)
        recorder.expect(
            """
            Door.Event.open was not refused, but applied.

                - Door.State.closed
                + Door.State.opening

            (Before: -, After: +)
            """)
        await door.skipReceivedEvents()
        #expect(door.state == .open)
        await door.skipEffects()
        door.skipOutputs()
        await door.finish()
        recorder.expectNothing()
    }

    @Test func `events from the main actor are waited for`() async {
        let door = makeDoor()
        door.timeout = .seconds(60)
        await door.send(.bounce)
        door.expectEffect()
        await door.receive(.bounced)
        await door.finish()
        recorder.expectNothing()
    }

    @Test @MainActor func `a test on the main actor states alike`() async {
        let door = makeDoor()
        door.timeout = .seconds(60)
        await door.send(.bounce)
        door.expectEffect()
        await door.receive(.bounced)
        await door.finish()
        recorder.expectNothing()
    }
}
