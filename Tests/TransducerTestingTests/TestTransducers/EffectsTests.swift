import Testing
import TransducerTesting
import Transducers

@Suite("TestTransducer: effects")
struct EffectsTests {
    let recorder = FailureRecorder()

    func makeDoor(_ state: Door.State = .closed) -> TestTransducer<Door> {
        let door = TestTransducer<Door>(initialState: state, reporter: recorder.reporter)
        door.timeout = .zero
        return door
    }

    @Test func `an effect whose start isn't stated fails at the end`() async {
        let door = makeDoor()
        await door.send(.ring)
        await door.finish()
        recorder.expect(
            """
            These things were not stated:

            Effects begun (expectEffect):
                an effect without id
            """)
    }

    @Test func `an effect that lives fails at the end`() async {
        let door = makeDoor()
        await door.send(.hum)
        door.expectEffect(id: "hum")
        await door.finish()
        recorder.expect(
            """
            These things were not stated:

            Effects live (cancel them, or let them end):
                hum
            """)
    }

    @Test func `an effect that hasn't begun fails, with those that have`() async {
        let door = makeDoor()
        door.expectEffect(id: "hum")
        recorder.expect(
            """
            Expected an effect with the id hum to have begun, and it hasn't.
            No start of an effect is left to be stated.
            """)
        await door.send(.hum)
        door.expectEffect()
        recorder.expect(
            """
            Expected an effect without id to have begun, and it hasn't.
                hum
            """)
        await door.skipEffects()
        await door.finish()
        recorder.expectNothing()
    }

    @Test func `a cancelled effect is cancelled`() async {
        let door = makeDoor()
        await door.send(.open) { $0 = .opening }
        await door.receive(.opened) { $0 = .open }
        door.expect(output: .creaks)
        door.expectEffect(id: "spring")
        #expect(door.liveEffects == [EffectKey("spring")])
        await door.expectCancelled(id: "spring")
        recorder.expect(
            "Expected an effect with the id spring to be cancelled, and none was.")
        await door.send(.close) { $0 = .closed }
        door.expect(output: .bangs)
        await door.expectCancelled(id: "spring")
        #expect(door.liveEffects == [])
        await door.expectNoEffects()
        await door.finish()
        recorder.expectNothing()
    }

    @Test func `no effects: one that runs fails, and one that has run`() async {
        let door = makeDoor()
        await door.send(.hum)
        await door.expectNoEffects()
        recorder.expect(
            """
            Expected no effect to run.
                hum
            """)
        door.expectEffect(id: "hum")
        await door.send(.ring)
        await door.expectNoEffects()
        let messages = recorder.takeAll().map(\.message)
        #expect(
            messages == [
                """
                Expected no effect to run.
                    hum
                """,
                """
                Expected no effect, and these have run.
                    an effect without id
                """,
            ])
        await door.skipEffects()
    }

    @Test func `a failure without an event has to be stated`() async {
        let door = makeDoor()
        await door.send(.jam)
        door.expectEffect(id: "jam")
        await door.expectFailure { $0.error is Door.Jammed }
        await door.finish()
        recorder.expectNothing()
    }

    @Test func `a failure that isn't stated fails at the end`() async {
        let door = makeDoor()
        await door.send(.jam)
        door.expectEffect(id: "jam")
        await door.expectFailure { $0.error is Counter.Broken }
        recorder.expect(
            """
            Expected an effect to have failed, and others have failed.
                effect jam failed: jammed
            """)
        await door.finish()
        recorder.expect(
            """
            These things were not stated:

            Effects failed (expectFailure):
                effect jam failed: jammed
            """)
    }

    @Test func `a failure that doesn't come fails`() async {
        let door = makeDoor()
        await door.expectFailure()
        recorder.expect("Expected an effect to have failed, and none has.")
    }

    @Test func `a failure with an event is that event`() async {
        enum Careful: EffectTransducer {
            enum State: NonTerminal, Equatable { case fine, failed }
            enum Event: Equatable, Sendable { case work, failed(String) }
            static func update(_ state: inout State, event: Event) -> Effect? {
                switch event {
                case .work: return .fireAndForget(id: "work") { _, _ in throw Door.Jammed() }
                case .failed:
                    state = .failed
                    return nil
                }
            }
            static func effectFailed(_ failure: EffectFailure) -> Event? {
                .failed("\(failure.error)")
            }
        }
        let careful = TestTransducer<Careful>(initialState: .fine, reporter: recorder.reporter)
        await careful.send(.work)
        careful.expectEffect(id: "work")
        await careful.receive(.failed("jammed")) { $0 = .failed }
        await careful.finish()
        recorder.expectNothing()
    }
}
