import Testing
import TransducerTesting
import Transducers

/// Ticks once a second from `start` to `stop`.
private enum Ticker: EffectTransducer {
    struct State: NonTerminal, Equatable, Sendable { var ticks = 0 }
    enum Event: Equatable, Sendable { case start, tick, stop }

    static func update(_ state: inout State, event: Event) -> Effect? {
        switch event {
        case .start:
            return .stream(id: "ticks", autoFinish: true) { _, input, context in
                while true {
                    try await context.sleep(for: .seconds(1))
                    try input.send(.tick)
                }
            }
        case .tick:
            state.ticks += 1
            return nil
        case .stop: return .cancel(id: "ticks")
        }
    }
}

/// Starts effects that stand in a line with two seconds between their starts.
private enum Spaced: EffectTransducer {
    struct Line: EffectQueue {
        var effectQueuePolicy: EffectQueuePolicy { .runOldest(maxCount: 9, .suspendNew) }
        var effectQueueDelay: EffectQueueDelay { .constant(.seconds(2)) }
    }
    struct State: NonTerminal, Equatable, Sendable { var started: [String] = [] }
    enum Event: Equatable, Sendable { case start(String), started(String), cancel(String) }

    static func update(_ state: inout State, event: Event) -> Effect? {
        switch event {
        case .start(let name):
            return .run(id: name, queue: Line()) { _, _ in .started(name) }
        case .started(let name):
            state.started.append(name)
            return nil
        case .cancel(let name): return .cancel(id: name)
        }
    }
}

/// A reminder that can be called off.
private enum Reminder: EffectTransducer {
    struct State: NonTerminal, Equatable, Sendable { var isReminded = false }
    enum Event: Equatable, Sendable { case remind, reminded, callOff }

    static func update(_ state: inout State, event: Event) -> Effect? {
        switch event {
        case .remind: return .after(.seconds(86_400), id: "reminder", .reminded)
        case .reminded:
            state.isReminded = true
            return nil
        case .callOff: return .cancel(id: "reminder")
        }
    }
}

@Suite("Effects and time")
struct TimeTests {
    @Test func `ticks up to the stop, none after`() async {
        let ticker = TestTransducer<Ticker>(initialState: Ticker.State())
        await ticker.send(.start)
        ticker.expectEffect(id: "ticks")
        await ticker.advance(by: .seconds(3))
        for count in 1...3 { await ticker.receive(.tick) { $0.ticks = count } }
        await ticker.send(.stop)
        await ticker.advance(by: .seconds(10))
        await ticker.finish()
        #expect(ticker.state.ticks == 3)
    }

    @Test func `the virtual clock fires without waiting`() async {
        let reminder = TestTransducer<Reminder>(initialState: Reminder.State())
        await reminder.send(.remind)
        reminder.expectEffect(id: "reminder")
        await reminder.advance(by: .seconds(86_399))
        #expect(!reminder.state.isReminded)
        await reminder.advance(by: .seconds(1))
        await reminder.receive(.reminded) { $0.isReminded = true }
        await reminder.finish()
    }

    @Test func `cancelled before its time: never runs`() async {
        let reminder = TestTransducer<Reminder>(initialState: Reminder.State())
        await reminder.send(.remind)
        reminder.expectEffect(id: "reminder")
        await reminder.advance(by: .seconds(86_399))
        await reminder.send(.callOff)
        await reminder.advance(by: .seconds(2))
        await reminder.finish()
    }

    @Test func `spacing d: starts at 0, d, 2d, 3d, and one cancelled before its time never runs`()
        async
    {
        let spaced = TestTransducer<Spaced>(initialState: Spaced.State())
        spaced.exhaustivity = .off
        for name in ["a", "b", "c", "d"] { await spaced.send(.start(name)) }
        #expect(await spaced.started(after: .zero) == ["a"])
        await spaced.send(.cancel("c"))
        #expect(await spaced.started(after: .seconds(1)) == ["a"])
        #expect(await spaced.started(after: .seconds(1)) == ["a", "b"])
        #expect(await spaced.started(after: .seconds(2)) == ["a", "b"])
        #expect(await spaced.started(after: .seconds(2)) == ["a", "b", "d"])
        await spaced.finish()
    }
}

extension TestTransducer<Spaced> {
    /// Who has started when so much time has gone by.
    fileprivate func started(after duration: Duration) async -> [String] {
        await advance(by: duration)
        await skipReceivedEvents()
        return state.started
    }
}
