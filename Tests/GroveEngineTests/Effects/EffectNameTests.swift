import OrderedJSON
import Testing
import Transducers

@testable import GroveEngine

/// Effects whose ids have the same text and different types.
@Suite("Names of effects")
struct EffectNameTests {
    enum ReminderID: EffectID { case main }
    enum FetchID: EffectID { case main }

    /// A machine whose effects are named by types.
    private enum Typed: EffectTransducer, InitialState {
        struct State: NonTerminal, Codable, Sendable {
            var heard: [String] = []
            var timer: String?
        }
        enum Event: Codable, Sendable {
            case remind, fetch, keep, work, stop, stopFetching, heard(String)
            case named(String), stopNamed
        }
        static let initialState = State()

        static func update(_ state: inout State, event: Event) -> Effect? {
            switch event {
            case .remind: return .after(.seconds(5), id: ReminderID.main, .heard("reminder"))
            case .fetch: return .after(.seconds(5), id: FetchID.main, .heard("fetch"))
            case .keep:
                return .after(
                    .seconds(5), id: ReminderID.main, policy: .keepOldest, .heard("kept"))
            case .work:
                return .perform("work", id: ReminderID.main, argument: 1, then: "heard")
                    + .perform("work", id: FetchID.main, argument: 2, then: "heard")
            case .stop: return .cancel(id: ReminderID.main)
            case .stopFetching: return .cancel(id: FetchID.main)
            case .heard(let what): state.heard.append(what)
            case .named(let name):
                state.timer = name
                return .after(.seconds(5), id: state.timer, .heard(name))
            case .stopNamed:
                defer { state.timer = nil }
                return .cancel(id: state.timer)
            }
            return nil
        }
    }

    /// The same machine as an earlier version has stored its effects: by their text.
    private enum Earlier: EffectTransducer, InitialState {
        typealias State = Typed.State
        typealias Event = Typed.Event
        static let initialState = State()

        static func update(_ state: inout State, event: Event) -> Effect? {
            .after(.seconds(5), id: "main", .heard("earlier"))
        }
    }

    private func bench(over store: any Store = MemoryStore()) throws -> EffectBench {
        try EffectBench([Definition(Typed.self, named: "typed", version: "1")], store: store)
    }

    /// A bench over data in which an earlier version has started a timer.
    private func upgraded() throws -> EffectBench {
        let before = try EffectBench([Definition(Earlier.self, named: "typed", version: "1")])
        try before.send("remind", to: "typed/a")
        let bench = try bench(over: before.store)
        bench.now = before.now
        return bench
    }

    private func send(_ events: JSONValue..., to bench: EffectBench) throws {
        for event in events { try bench.send(event, to: "typed/a") }
    }

    private func rows(_ bench: EffectBench) throws -> [String] {
        try bench.rows(of: "typed/a")
    }

    /// What the instance has heard after all timers.
    private func heard(_ bench: EffectBench) throws -> String? {
        try bench.advance(by: 60_000)
        return try bench.text(of: "typed/a")
    }

    @Test func `ids of different types neither replace nor cancel each other`() throws {
        let bench = try bench()
        try send("remind", "fetch", to: bench)
        #expect(try rows(bench) == ["sleeping main", "sleeping main"])
        try send("remind", to: bench)
        #expect(try rows(bench).count == 2)
        try bench.restart()
        try send("keep", to: bench)
        #expect(try rows(bench).count == 2)
        try send("stop", to: bench)
        #expect(try heard(bench) == #"{"heard":["fetch"]}"#)
    }

    @Test func `names keep their types in the journal`() throws {
        let bench = try bench()
        try send("work", to: bench)
        try bench.restart()
        try send("stopFetching", to: bench)
        let left = try bench.got("typed/a").effects
        #expect(left.map(\.body.run?.work) == [.perform(handler: "work", argument: 1)])
        #expect(left.first?.body.run?.key.types == ["EffectNameTests.ReminderID"])
    }

    @Test func `clients know effects by text and number`() throws {
        let bench = try bench()
        try send("remind", "fetch", to: bench)
        let name = try #require(InstanceName("typed/a"))
        try bench.ask(.cancel(name, .effect(1)))
        #expect(try bench.got("typed/a").effects.map(\.ref.number) == [2])
        try send("remind", to: bench)
        try bench.ask(.cancel(name, .id("main")))
        #expect(try rows(bench) == [])
    }

    @Test func `an effect that an earlier version has stored is cancelled by its text`() throws {
        let bench = try upgraded()
        try send("stop", to: bench)
        #expect(try rows(bench) == [])
    }

    @Test func `an effect that an earlier version has stored is replaced by its text`() throws {
        let bench = try upgraded()
        try send("remind", to: bench)
        #expect(try rows(bench) == ["sleeping main"])
        #expect(try heard(bench) == #"{"heard":["reminder"]}"#)
    }

    @Test func `an effect that an earlier version has stored is kept under its new name`() throws {
        let bench = try upgraded()
        try send("keep", to: bench)
        #expect(try rows(bench) == ["sleeping main"])
        try bench.restart()
        // Now that it has a type, others of the same text don't mean it.
        try send("fetch", "stopFetching", to: bench)
        #expect(try heard(bench) == #"{"heard":["earlier"]}"#)
    }

    @Test func `an optional id is the id in it, and none cancels nothing`() throws {
        let bench = try bench()
        try send(["type": "named", "value": "t1"], to: bench)
        #expect(try rows(bench) == ["sleeping t1"])
        try send("stopNamed", to: bench)
        #expect(try rows(bench) == [])
        try send("remind", "stopNamed", to: bench)
        #expect(try rows(bench) == ["sleeping main"])
    }
}
