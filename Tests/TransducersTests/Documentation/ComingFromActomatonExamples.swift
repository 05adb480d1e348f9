import Testing
import TransducerTesting
import Transducers

/// Grove's side of the article for those who come from Actomaton.
@Suite("Article: Coming from Actomaton", .timeLimit(.minutes(1)))
struct ComingFromActomatonExamples {
    struct TimerID: EffectID {}

    enum Ticker: EffectTransducer {
        struct State: NonTerminal, Equatable { var ticks = 0 }
        enum Event { case start, tick, stop }

        static func update(_ state: inout State, event: Event) -> Effect? {
            switch event {
            case .start:
                return .stream(id: TimerID()) { _, input, context in
                    while true {
                        try await context.sleep(for: .seconds(1))
                        try input.send(.tick)
                    }
                }
            case .tick:
                state.ticks += 1
                return nil
            case .stop:
                return .cancel(id: TimerID())
            }
        }
    }

    enum Gallery: ReducerTransducer {
        struct State: NonTerminal {
            var left = Ticker.State()
            var right = Ticker.State()
        }
        enum Event { case left(Ticker.Event), right(Ticker.Event) }

        static let reducer = Reducer.combine(
            Reducer(Ticker.self).scoped(
                to: Gallery.self, state: .at(\.left), event: CasePath(Event.left), scope: "left"),
            Reducer(Ticker.self).scoped(
                to: Gallery.self, state: .at(\.right), event: CasePath(Event.right),
                scope: "right"))
    }

    struct Fetches: EffectQueue {
        var effectQueuePolicy: EffectQueuePolicy { .runOldest(maxCount: 3, .suspendNew) }
        var effectQueueDelay: EffectQueueDelay { .random(0.1...0.3) }
    }

    enum Counter: EffectTransducer {
        struct State: NonTerminal { var count = 0 }
        enum Event { case increment, decrement, reset, fetch(id: String), fetched(Int) }
        struct Env: Sendable {
            var fetch: @Sendable (_ id: String) async throws -> Int
        }

        static func update(_ state: inout State, event: Event) -> Effect? {
            switch event {
            case .increment:
                state.count += 1
                return .fireAndForget { print("increment") }
            case .decrement:
                state.count -= 1
                return .fireAndForget { context in
                    print("decrement and sleep...")
                    try await context.clock.sleep(for: .seconds(1))
                    print("I'm awake!")
                }
            case .reset:
                state.count = 0
                return Effect(id: "reset") { context in
                    try await context.sleep(for: .seconds(1))
                    return .increment
                }
            case .fetch(let id):
                return .run(queue: Fetches()) { env, _ in .fetched(try await env.fetch(id)) }
            case .fetched(let count):
                state.count = count
                return nil
            }
        }
    }

    enum Limited: ReducerTransducer {
        struct State: NonTerminal {
            let limit: Int
            var count = 0
        }
        enum Event { case increment }

        static func counting(by step: Int) -> Reducer<Limited> {
            Reducer { state, _ in
                guard state.count + step <= state.limit else { throw Rejection("the limit") }
                state.count += step
                return .empty
            }
        }

        static let reducer = counting(by: 2)
    }

    enum Loader: EffectTransducer {
        enum State: NonTerminal { case empty, loaded }
        enum Event { case load, loaded }
        enum Output { case loading, here }

        static func update(
            _ state: inout State, event: Event
        ) -> (Self.Effect?, Output) {
            switch event {
            case .load: return (Effect { .loaded }, .loading)
            case .loaded:
                state = .loaded
                return (nil, .here)
            }
        }
    }

    @Test func `a timer ticks until it is stopped`() async {
        let ticker = TestTransducer<Ticker>(initialState: .init())
        await ticker.send(.start)
        ticker.expectEffect(id: TimerID())
        await ticker.advance(by: .seconds(2))
        await ticker.receive(.tick) { $0.ticks = 1 }
        await ticker.receive(.tick) { $0.ticks = 2 }
        await ticker.send(.stop)
        await ticker.advance(by: .seconds(60))
        await ticker.finish()
    }

    @Test func `a host takes the place of the actor`() async throws {
        let options = RunOptions<Ticker>(clock: VirtualClock())
        let host = ActorHost(of: Ticker.self, initialState: Ticker.State(), options: options)
        try await host.send(.start)
        #expect(await host.state.ticks == 0)
    }

    @Test func `two timers of one kind don't meet`() throws {
        let gallery = SynchronousDriver(of: Gallery.self, initialState: .init())
        try gallery.send(.left(.tick))
        try gallery.send(.right(.start))
        try gallery.send(.left(.stop))
        #expect(gallery.state.left.ticks == 1)
        #expect(Fetches() == Fetches())
    }

    @Test func `closures without the environment run concurrently`() async throws {
        let clock = VirtualClock()
        let counter = ActorHost<Counter>(
            initialState: .init(), env: Counter.Env(fetch: { $0.count }),
            options: RunOptions(clock: clock))
        let reset = await counter.send(.reset, tracking: .tree)
        try await counter.send(.decrement)
        try await counter.send(.increment)
        #expect(await counter.state.count == 0)
        let fetched = await counter.send(.fetch(id: "seven"), tracking: .tree)
        await fetched.completion()
        #expect(await counter.state.count == 5)
        await until { clock.sleeperCount == 2 }
        await clock.advance(by: .seconds(1))
        await reset.completion()
        #expect(await counter.state.count == 6)
    }

    @Test func `a reducer made of values is the reducer of a type`() throws {
        let limited = SynchronousDriver(of: Limited.self, initialState: .init(limit: 3))
        try limited.send(.increment)
        #expect(throws: Rejection("the limit")) { try limited.send(.increment) }
        #expect(limited.state.count == 2)
    }

    @Test func `a send reports everything that follows`() async {
        let loader = ActorHost(of: Loader.self, initialState: .empty)
        var told: [Loader.Output] = []
        do {
            let results = await loader.send(.load, tracking: .tree)
            for await result in results { print(result) }
        }
        for await case .success(let output) in await loader.send(.load, tracking: .tree) {
            told.append(output)
        }
        #expect(told == [.loading, .here])
    }
}
