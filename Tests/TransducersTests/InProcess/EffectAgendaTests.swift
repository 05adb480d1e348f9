import Testing
import Transducers

/// What a refused event of a part does to its sequence.
@Suite("EffectAgenda: sequences", .timeLimit(.minutes(1)))
struct EffectAgendaTests {
    /// Notes events, and refuses some.
    enum Picky: EffectTransducer {
        struct State: Terminable {
            var notes: [String] = []
            var isTerminal: Bool { notes.last == "end" }
        }
        indirect enum Event: Sendable { case does(Picky.Effect), note(String), bad }
        typealias Output = String

        static func update(
            _ state: inout State, event: Event
        ) throws -> (Self.Effect?, String) {
            switch event {
            case .does(let effect): return (effect, "go")
            case .note(let text):
                state.notes.append(text)
                return (nil, text)
            case .bad: throw Rejection("no")
            }
        }
    }

    typealias Effect = Picky.Effect

    /// Parts with a refused event, by name.
    static let parts: [(name: String, effect: Effect)] = [
        ("run", .run { _, _ in .bad }),
        ("action", Effect(action: { _ in [.note("first"), .bad] })),
        ("send", Effect(operation: { _, input in try input.send(.bad) })),
        (
            "sendAndWait",
            Effect(operation: { _, input in
                guard try await input.sendAndWait(.bad) == .refused(Rejection("no")) else { return }
                try input.send(.note("told"))
            })
        ),
        ("after", .after(.milliseconds(1), .bad)),
        ("event", .sequence(.run { _, _ in nil }, .event(.bad))),
        (
            "stream",
            .stream { _, _ in
                AsyncStream { continuation in
                    for event in [Picky.Event.note("one"), .bad, .note("two")] {
                        continuation.yield(event)
                    }
                    continuation.finish()
                }
            }
        ),
        ("parallel", .parallel(.run { _, _ in .bad }, .run { _, _ in nil })),
    ]

    /// The notes of a sequence of this part, and another one.
    static let notes = [
        "run": [], "action": [], "send": [], "sendAndWait": ["told"], "after": [], "event": [],
        "stream": ["one", "two"], "parallel": [],
    ]

    @Test(arguments: parts.map(\.name))
    func `a refused event of a part ends the sequence`(name: String) async throws {
        let part = try #require(Self.parts.first { $0.name == name }).effect
        let effect = Effect.sequence(part, .run { _, _ in .note("next") })
        let host = ActorHost(of: Picky.self, initialState: .init())
        let results = await host.send(.does(effect), tracking: .tree)
        // Its sender gets the refusal, whatever the part was.
        #expect(await results.errors.map { $0 as? Rejection } == [Rejection("no")])
        #expect(await host.state.notes == Self.notes[name])
        #expect(await host.report.refusedCount == 0)
        let driver = SynchronousDriver(of: Picky.self, initialState: .init())
        let again = driver.send(.does(effect), tracking: .tree)
        #expect(await again.errors.count == 1)
        #expect(driver.state.notes == Self.notes[name])
    }

    @Test(arguments: parts.map(\.name))
    func `so it does in a run`(name: String) async throws {
        let part = try #require(Self.parts.first { $0.name == name }).effect
        let (proxy, ended) = (Picky.Proxy(), Signal())
        let told = Notes<String>()
        var options = RunOptions<Picky>()
        // The sequence is over when its last part's run has ended.
        options.trace = { record in if case .effectEnded = record { ended.fire() } }
        let run = Task {
            try await Picky.run(
                initialState: .init(), proxy: proxy, output: Callback { told.add($0) },
                options: options)
        }
        try proxy.send(.does(.sequence(part, .event(.note("next")))))
        if name == "action" {
            await until { proxy.report.refusedCount == 1 }
        } else {
            await ended.wait()
        }
        try proxy.send(.note("end"))
        #expect(try await run.value == "end")
        #expect(told.values == ["go"] + (Self.notes[name] ?? []) + ["end"])
    }

    @Test func `a sequence in a sequence ends with it`() async throws {
        let effect = Effect.sequence([
            .sequence(.run { _, _ in .bad }, .run { _, _ in .note("inner") }),
            .event(.note("outer")),
        ])
        let host = ActorHost(of: Picky.self, initialState: .init())
        await host.send(.does(effect), tracking: .tree).completion()
        #expect(await host.state.notes == [])
    }

    @Test func `events of an action are applied before the next part, with what they start`()
        async throws
    {
        let acting = Effect(action: { _ in
            let last = Effect(action: { _ in .note("three") })
            return [.note("one"), .does(.event(.note("two"))), .does(last)]
        })
        let host = ActorHost(of: Picky.self, initialState: .init())
        let results = await host.send(
            .does(.sequence(acting, .event(.note("next")))), tracking: .tree)
        #expect(await results.errors.isEmpty)
        #expect(await host.state.notes == ["one", "two", "three", "next"])
    }

    @Test func `outputs of an action's events are no results of a send that tracks its own`()
        async throws
    {
        let host = ActorHost(of: Picky.self, initialState: .init())
        let acting = Effect(action: { _ in [.note("one"), .bad] })
        let own = await host.send(.does(acting), tracking: .own)
        #expect(await own.outputs == ["go"])
        #expect(await host.report.refusedCount == 1)
    }

    @Test func `a part that ends the machine starts no further one`() async throws {
        let driver = SynchronousDriver(of: Picky.self, initialState: .init())
        let started = Signal()
        let effect = Effect.sequence(
            Effect(action: { _ in .note("end") }), .fireAndForget { _, _ in started.fire() })
        await driver.send(.does(effect), tracking: .own).completion()
        await until { driver.state.notes == ["end"] }
        #expect(throws: TransducerError.ended) { try driver.send(.bad) }
        #expect(!started.isFired)
    }
}
