import Testing
import TransducerTesting
import Transducers

@Suite("TestTransducer: sending")
struct SendingTests {
    let recorder = FailureRecorder()

    func makeCounter() -> TestTransducer<Counter> {
        TestTransducer(initialState: Counter.State(), reporter: recorder.reporter)
    }

    func makeDoor(_ state: Door.State = .closed) -> TestTransducer<Door> {
        let door = TestTransducer<Door>(initialState: state, reporter: recorder.reporter)
        door.timeout = .zero
        return door
    }

    @Test func `a change that is stated is no failure`() async {
        let counter = makeCounter()
        await counter.send(.add(amount: 5)) { $0.count = 5 }
        counter.expect(output: 5)
        #expect(counter.state.count == 5)
        await counter.finish()
        recorder.expectNothing()
    }

    @Test func `a wrong change fails with the difference`() async {
        let counter = makeCounter()
        await counter.send(.add(amount: 5)) { $0.count = 6 }
        recorder.expect(
            """
            The state after sending Counter.Event.add(amount: 5) is not as stated.

                  Counter.State(
                -   count: 6,
                +   count: 5,
                    name: "c"
                  )

            (Expected: -, Actual: +)
            """)
        counter.skipOutputs()
    }

    @Test func `a change that isn't stated fails`() async {
        let counter = makeCounter()
        await counter.send(.rename("d"))
        recorder.expect(
            """
            The state after sending Counter.Event.rename("d") is not as stated. No change was \
            stated.

                  Counter.State(
                    count: 0,
                -   name: "c"
                +   name: "d"
                  )

            (Expected: -, Actual: +)
            """)
        counter.skipOutputs()
    }

    @Test func `a closure that states nothing fails`() async {
        let counter = makeCounter()
        await counter.send(.add(amount: 0)) { $0.count = 0 }
        recorder.expect(
            "The state after sending Counter.Event.add(amount: 0) is as before, and the closure "
                + "changes nothing: leave it out.")
        counter.skipOutputs()
    }

    @Test func `a closure that throws fails with its error`() async {
        let counter = makeCounter()
        await counter.send(.increment) { _ in throw Counter.Broken() }
        recorder.expect(
            "Stating the state after sending Counter.Event.increment threw: Broken()")
        counter.skipOutputs()
    }

    @Test func `a failure names the line of the statement`() async {
        let counter = makeCounter()
        let line = #line + 1
        await counter.send(.increment)
        counter.skipOutputs()
        let places = recorder.takeAll().map(\.place)
        #expect(places.map(\.line) == [line])
        #expect(places.first?.fileID == #fileID)
    }

    @Test func `sending while received events aren't stated fails and sends nothing`() async {
        let door = makeDoor()
        await door.send(.open) { $0 = .opening }
        await door.send(.remove) { $0 = .removed }
        recorder.expect(
            """
            Door.Event.remove was not sent: first state the events that were received, with receive.

                Door.Event.opened
            """)
        await door.receive(.opened) { $0 = .open }
        #expect(door.state == .open)
        await door.skipEffects()
        door.skipOutputs()
    }

    @Test func `a refusal that isn't stated fails with its reason`() async {
        let counter = makeCounter()
        await counter.send(.add(amount: 101))
        recorder.expect(
            "Counter.Event.add(amount: 101) was sent and refused: too much "
                + "(accepts increment, add)")
        await counter.finish()
        recorder.expectNothing()
    }

    @Test func `a refusal that is stated leaves nothing over`() async {
        let counter = makeCounter()
        await counter.sendRejected(
            .add(amount: 101), reason: "too much", accepts: ["increment", "add"])
        await counter.sendRejected(.add(amount: 102))
        await counter.finish()
        recorder.expectNothing()
    }

    @Test func `another reason than the stated one fails with the difference`() async {
        let counter = makeCounter()
        await counter.sendRejected(.add(amount: 101), reason: "not now")
        recorder.expect(
            """
            Counter.Event.add(amount: 101) was rejected otherwise than stated.

                  Rejection(
                -   reason: "not now",
                +   reason: "too much",
                    accepts: […]
                  )

            (Expected: -, Actual: +)
            """)
    }

    @Test func `an event that should be refused and is applied fails with what it changed`() async {
        let counter = makeCounter()
        await counter.sendRejected(.add(amount: 3))
        counter.skipOutputs()
        recorder.expect(
            """
            Counter.Event.add(amount: 3) was not refused, but applied.

                  Counter.State(
                -   count: 0,
                +   count: 3,
                    name: "c"
                  )

            (Before: -, After: +)
            """)
    }

    @Test func `an error is no rejection`() async {
        let counter = makeCounter()
        await counter.sendRejected(.fail)
        recorder.expect("Counter.Event.fail was not rejected, but failed: Broken()")
        await counter.sendFailing(.fail) { $0 is Counter.Broken }
        recorder.expectNothing()
        await counter.sendFailing(.fail) { $0 is Rejection }
        recorder.expect("Counter.Event.fail failed with another error: Broken()")
    }

    @Test func `a chain that doesn't end is a failure of its event`() async {
        enum Loop: EffectTransducer {
            struct State: NonTerminal, Equatable { var count = 0 }
            typealias Event = Int
            static func update(_ state: inout State, event: Int) -> Effect? {
                state.count += 1
                return .event(event)
            }
        }
        let loop = TestTransducer<Loop>(
            initialState: .init(), immediateEventsMax: 3, reporter: recorder.reporter)
        await loop.sendFailing(1) { $0 as? TransducerError == .immediateEventLimit(3) }
        #expect(loop.state.count == 0)
        await loop.finish()
        recorder.expectNothing()
    }

    @Test func `a machine that has ended takes no event`() async {
        let door = makeDoor()
        await door.send(.remove) { $0 = .removed }
        door.expect(output: .bangs)
        await door.send(.open)
        recorder.expect(
            "Door.Event.open was not sent: the machine has ended and takes no more events: run it "
                + "anew with a new proxy.")
        await door.finish()
        recorder.expectNothing()
    }

    @Test func `nothing is sent after finish`() async {
        let counter = makeCounter()
        await counter.finish()
        await counter.send(.increment)
        recorder.expect(
            "Counter.Event.increment was not sent: the test has called finish().")
    }

    @Test func `an action's events come after its own event, one by one`() async {
        let door = makeDoor()
        await door.send(.ask)
        await door.receive(.answered(1))
        await door.receive(.answered(2))
        await door.finish()
        recorder.expectNothing()
    }

    @Test func `a machine that awaits an action takes no event`() async {
        enum Patient: EffectTransducer {
            enum State: NonTerminal, Equatable { case well }
            enum Event: Equatable, Sendable { case wait, waited, other }
            static func update(_ state: inout State, event: Event) -> Effect? {
                guard event == .wait else { return nil }
                return Effect(isolatedAction: { env, _ in
                    try await env.sleep(for: .seconds(1))
                    return Event.waited
                })
            }
            typealias Env = VirtualClock
        }
        let clock = VirtualClock()
        let patient = TestTransducer<Patient>(
            initialState: .well, env: clock, clock: clock, reporter: recorder.reporter)
        patient.timeout = .zero
        await patient.send(.wait)
        await patient.send(.other)
        recorder.expect(
            "SendingTests.Patient.Event.other was not applied: the machine still awaits an action "
                + "of an earlier event.")
        await patient.receive(.waited)
        recorder.expect(
            """
            Expected to receive SendingTests.Patient.Event.waited, and nothing was received.
            The machine awaits an action, which hasn't ended.
            """)
        await patient.advance(by: .seconds(1))
        await patient.receive(.waited)
        await patient.receive(.other)
        await patient.finish()
        recorder.expectNothing()
    }
}
