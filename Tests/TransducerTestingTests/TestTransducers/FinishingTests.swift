import Testing
import TransducerTesting
import Transducers

@Suite("TestTransducer: finishing")
struct FinishingTests {
    let recorder = FailureRecorder()

    func makeDoor(_ state: Door.State = .closed) -> TestTransducer<Door> {
        let door = TestTransducer<Door>(initialState: state, reporter: recorder.reporter)
        door.timeout = .zero
        return door
    }

    static let leftovers = """
        Events received (receive):
            Door.Event.opened

        Outputs (expect(output:)):
            Door.Output.creaks

        Effects begun (expectEffect):
            spring

        Effects live (cancel them, or let them end):
            spring
        """

    @Test func `everything that is left over is listed`() async {
        let door = makeDoor()
        await door.send(.open) { $0 = .opening }
        await door.finish()
        recorder.expect("These things were not stated:\n\n" + Self.leftovers)
        await door.finish()
        recorder.expectNothing()
    }

    @Test func `released without finish, the same is reported where it was made`() async {
        var door: TestTransducer<Door>? = makeDoor()
        await door?.send(.open) { $0 = .opening }
        door = nil
        recorder.expect(
            "The test transducer was dropped without finish(), and these things were not "
                + "stated:\n\n" + Self.leftovers)
    }

    @Test func `released with nothing left over, nothing is reported`() async {
        var door: TestTransducer<Door>? = makeDoor()
        await door?.send(.ask)
        await door?.receive(.answered(1))
        await door?.receive(.answered(2))
        door = nil
        recorder.expectNothing()
    }

    @Test func `a machine that begins in its end without an output has that reported`() async {
        let door = makeDoor(.removed)
        await door.finish()
        recorder.expect(
            """
            These things were not stated:

            The end of the machine's run: the machine's initial state is terminal and it has no \
            initial output: return one from initialOutput(initialState:), or begin in a state \
            that isn't terminal
            """)
    }

    @Test func `time wakes sleepers one by one, and each finishes before the next`() async {
        enum Metronome: EffectTransducer {
            struct State: NonTerminal, Equatable { var ticks: [Int] = [] }
            enum Event: Equatable, Sendable { case start, tick(Int) }
            static func update(_ state: inout State, event: Event) -> Effect? {
                guard case .tick(let number) = event else {
                    return .after(.seconds(2), id: 2, .tick(2))
                        + .after(.seconds(1), id: 1, .tick(1))
                        + .after(.seconds(2), id: 3, .tick(3))
                }
                state.ticks.append(number)
                return number == 1 ? .after(.seconds(1), id: 4, .tick(4)) : nil
            }
        }
        for _ in 1...20 {
            let metronome = TestTransducer<Metronome>(
                initialState: .init(), reporter: recorder.reporter)
            await metronome.send(.start)
            for id in [1, 2, 3] { metronome.expectEffect(id: id) }
            await metronome.advance(by: .milliseconds(999))
            #expect(metronome.clock.sleeperCount == 3)
            await metronome.advance(by: .milliseconds(1_001))
            await metronome.receive(.tick(1)) { $0.ticks = [1] }
            metronome.expectEffect(id: 4)
            await metronome.receive(.tick(2)) { $0.ticks = [1, 2] }
            await metronome.receive(.tick(3)) { $0.ticks = [1, 2, 3] }
            await metronome.receive(.tick(4)) { $0.ticks = [1, 2, 3, 4] }
            await metronome.finish()
            recorder.expectNothing()
        }
    }
}
