import Testing
import Transducers

@Suite("Child")
struct ChildTests {
    /// Has a worker always, a second one at times, and a counter on one of two screens.
    enum House: EffectTransducer, InitialState {
        enum Screen: Equatable { case counter(Parts.Count.State), door(Parts.Door.State) }
        struct State: Terminable, Equatable {
            var worker = Parts.Worker.State()
            var guest: Parts.Worker.State?
            var screen = Screen.counter(Parts.Count.initialState)
            var isTerminal = false
        }
        enum Event: Sendable, Equatable {
            case worker(Parts.Worker.Event), guest(Parts.Worker.Event), counter(Parts.Count.Event)
            case invite, dismiss, show(Parts.Door.State), close
        }
        typealias Output = String

        static let worker = Child(
            Parts.Worker.self, of: House.self, scope: "worker", state: .at(\.worker)
        ) { .worker($0) }
        static let guest = Child(
            Parts.Worker.self, of: House.self, scope: "guest", state: .optional(\.guest)
        ) { .guest($0) }
        static let counter = Child(
            Parts.Count.self, of: House.self, scope: "counter",
            state: .at(\.screen, .case(Screen.counter))
        ) { .counter($0) }

        static var initialState: State { State() }

        static func update(_ state: inout State, event: Event) throws -> (Effect?, String) {
            switch event {
            case .worker(let event): return try worker.step(&state, event)
            case .guest(let event): return try guest.step(&state, event)
            case .counter(let event):
                let (effect, count) = try counter.step(&state, event)
                return (effect, "count \(count)")
            case .invite:
                state.guest = Parts.Worker.State()
                return (nil, "welcome")
            case .dismiss:
                state.guest = nil
                return (guest.cancelEffects, "goodbye")
            case .show(let door):
                state.screen = .door(door)
                return (nil, "door")
            case .close:
                state.isTerminal = true
                return (nil, "closed")
            }
        }

        static func effectFailed(_ failure: EffectFailure) -> Event? {
            worker.effectFailed(failure) ?? guest.effectFailed(failure)
        }
    }

    @Test func `a child changes its part of the state`() throws {
        var state = House.initialState
        #expect(try House.step(&state, .worker(.note("hello"))).1 == "hello")
        #expect(state.worker.log == ["hello"])
        #expect(try House.step(&state, .counter(.add(2))).1 == "count 2")
        #expect(state.screen == .counter(Parts.Count.State(count: 2)))
    }

    @Test func `an event for a child that isn't there is refused`() throws {
        var state = House.initialState
        #expect(throws: Rejection("guest isn't there now, and takes no events")) {
            try House.step(&state, .guest(.note("hello")))
        }
        _ = try House.step(&state, .show(.open))
        #expect(throws: Rejection("counter isn't there now, and takes no events")) {
            try House.step(&state, .counter(.add(1)))
        }
        _ = try House.step(&state, .invite)
        _ = try House.step(&state, .guest(.note("hello")))
        #expect(state.guest?.log == ["hello"])
    }

    @Test func `an event for a child that has ended is refused`() throws {
        var state = House.initialState
        _ = try House.step(&state, .counter(.add(3)))
        #expect(throws: Rejection("counter has ended and takes no more events")) {
            try House.step(&state, .counter(.add(1)))
        }
    }

    @Test func `what a child refuses, the whole refuses`() {
        var state = House.initialState
        #expect(throws: Rejection("counts up only", accepts: ["add"])) {
            try House.step(&state, .counter(.add(-1)))
        }
    }

    @Test func `effects of children are separate, and end with the child`() async throws {
        let proxy = House.Proxy(bufferSize: 16)
        try proxy.send(.invite)
        try proxy.send(.worker(.begin("job")))
        try proxy.send(.guest(.begin("job")))
        try proxy.send(.guest(.begin("rest")))
        try proxy.send(.dismiss)
        try proxy.send(.worker(.cancel("job")))
        try proxy.send(.close)
        let log = Parts.Log<House>()
        _ = try await House.run(initialState: .init(), proxy: proxy, options: log.options)
        #expect(
            log.lines == [
                "+ worker/job", "+ guest/job", "+ guest/rest", "x guest/job", "x guest/rest",
                "x worker/job",
            ])
    }

    @Test func `immediate events and failures come back to the child`() async throws {
        let proxy = House.Proxy(bufferSize: 16)
        try proxy.send(.invite)
        try proxy.send(.guest(.notes(["a", "b"])))
        try proxy.send(.guest(.fail("heard")))
        let outputs = Parts.Outputs<String>()
        let storage = Parts.Kept(House.initialState)
        _ = try await House.run(
            storage: storage, proxy: proxy,
            output: Callback { output in
                await outputs.append(output)
                if output == "heard of it" { try proxy.send(.close) }
            })
        #expect(storage.value.guest?.log == ["a", "b", "heard of it"])
        #expect(storage.value.worker.log == [])
        #expect(
            await outputs.values == [
                "welcome", "notes", "a", "b", "failing", "heard of it", "closed",
            ])
    }

    @Test func `a child's end ends its effects, and what its last ones send doesn't count`()
        async throws
    {
        let proxy = House.Proxy()
        try proxy.send(.worker(.begin("job")))
        try proxy.send(.worker(.stop))
        let log = Parts.Log<House>()
        log.onLine = { line in
            guard line.hasPrefix("- ") else { return }
            #expect(throws: Never.self) { try proxy.send(.close) }
        }
        let storage = Parts.Kept(House.initialState)
        _ = try await House.run(storage: storage, proxy: proxy, options: log.options)
        #expect(storage.value.worker.log == ["stop"])
        #expect(
            log.lines == [
                "+ worker/job", "x worker/job", "+ worker (ended)/last",
                "- worker (ended)/last",
            ])
    }

    @Test func `a child's input sends to the child`() async throws {
        let proxy = House.Proxy()
        let input = House.worker.input(of: proxy)
        try input.send(.note("by input"))
        try proxy.send(.close)
        let storage = Parts.Kept(House.initialState)
        _ = try await House.run(storage: storage, proxy: proxy)
        #expect(storage.value.worker.log == ["by input"])
    }

    @Test func `a child may work with a part of the environment`() async throws {
        enum Greeter: EffectTransducer {
            struct State: NonTerminal { var text = "" }
            enum Event: Sendable { case greet, say(String) }
            typealias Env = String
            static func update(_ state: inout State, event: Event) -> Effect? {
                switch event {
                case .greet: return Effect(action: { env in .say("hello \(env)") })
                case .say(let text):
                    state.text = text
                    return nil
                }
            }
        }
        enum Hall: EffectTransducer {
            struct Env: Sendable { var name: String }
            struct State: Terminable {
                var greeter = Greeter.State()
                var isTerminal: Bool { !greeter.text.isEmpty }
            }
            typealias Event = Greeter.Event
            static let greeter = Child(
                Greeter.self, of: Hall.self, scope: "greeter", state: .at(\.greeter),
                env: { $0.name }
            ) { $0 }
            static func update(_ state: inout State, event: Event) throws -> Effect? {
                try greeter.step(&state, event).effect
            }
        }
        let storage = Parts.Kept(Hall.State())
        try await Hall.run(
            storage: storage, proxy: Hall.Proxy(initialEvent: .greet), env: .init(name: "you"))
        #expect(storage.value.greeter.text == "hello you")
    }
}
