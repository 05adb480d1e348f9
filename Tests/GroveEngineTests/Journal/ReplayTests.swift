import BuiltInMachines
import GroveEngine
import GroveTestSupport
import OrderedJSON
import Testing
import Transducers

/// Applies the journal's events again: no difference if the machines are the same, and a report of
/// each difference if they aren't.
@Suite("Replay")
struct ReplayTests {
    /// Counts as `counter` does, but in other amounts.
    private enum Twice: Transducer, InitialState {
        struct State: NonTerminal, Codable, Sendable { var count = 0 }
        enum Event: Codable, Sendable { case increment, add(amount: Int) }
        typealias Output = Int

        static let initialState = State()

        static func update(_ state: inout State, event: Event) throws -> Int {
            switch event {
            case .increment: state.count += 2
            case .add(let amount):
                if amount == 3 { throw Rejection("not that") }
                state.count += amount
            }
            return amountOfOutput(state)
        }

        private static func amountOfOutput(_ state: State) -> Int {
            state.count == 5 ? 6 : state.count
        }
    }

    private func divergences(
        _ harness: EngineHarness, _ definitions: [Definition]
    ) throws -> (found: [Replay.Divergence], replay: Replay) {
        var replay = Replay(catalogue: try Catalogue(definitions))
        var found: [Replay.Divergence] = []
        for record in try harness.store.records(after: 0, limit: .max, bytes: .max) {
            if let divergence = replay.replay(record) { found.append(divergence) }
        }
        return (found, replay)
    }

    @Test func `the same machines replay alike, with effects and ends`() throws {
        let harness = try EngineHarness()
        for amount in 1...20 {
            _ = try harness.send("counter/a", #"{"type":"add","amount":\#(amount)}"#)
            _ = try harness.send("turnstile/t", amount % 2 == 1 ? #""COIN""# : #""PUSH""#)
        }
        _ = try harness.send("order/o", #"{"type":"place","total":30}"#)
        _ = try harness.send("order/o", #"{"type":"pay","amount":30}"#)
        _ = try harness.ask(.stop(try harness.instance("counter/a"), reason: nil))
        _ = try harness.ask(.delete(try harness.instance("turnstile/t")))
        _ = try harness.send("turnstile/t", #""COIN""#)
        let (found, replay) = try divergences(harness, BuiltInMachines.definitions)
        #expect(found == [])
        #expect(replay.steps == 43 && replay.skipped == 0)
    }

    @Test func `a changed machine diverges once per instance, and its rest is skipped`() throws {
        let harness = try EngineHarness()
        for name in ["counter/state", "counter/state"] {
            _ = try harness.send(name, #""increment""#)
        }
        _ = try harness.send("counter/refused", #"{"type":"add","amount":3}"#)
        _ = try harness.send("counter/output", #"{"type":"add","amount":5}"#)
        _ = try harness.send("counter/same", #"{"type":"add","amount":4}"#)
        let other = Definition(Twice.self, named: "counter", version: "2")
        let (found, replay) = try divergences(harness, [other])
        #expect(
            found.map { "\($0.instance) \($0.version) \($0.what)" } == [
                "counter/state 1 another state", "counter/refused 1 the event is refused",
                "counter/output 1 other outputs",
            ])
        #expect(found.map(\.sequence) == found.map(\.sequence).sorted())
        #expect(replay.steps == 4 && replay.skipped == 1)
    }

    @Test func `machines that aren't hosted are skipped`() throws {
        let harness = try EngineHarness()
        _ = try harness.send("counter/a", #""increment""#)
        _ = try harness.send("turnstile/t", #""COIN""#)
        let (found, replay) = try divergences(
            harness, BuiltInMachines.definitions.filter { $0.name == "turnstile" })
        #expect(found == [] && replay.steps == 1 && replay.skipped == 1)
    }

    @Test func `an imported instance is replayed from its import`() throws {
        let harness = try EngineHarness()
        let name = try harness.instance("counter/i")
        let item = Import(to: name, version: 40, state: Array(#"{"count":7}"#.utf8))
        _ = try harness.ask(.importing(item))
        _ = try harness.send("counter/i", #""increment""#)
        let (found, replay) = try divergences(harness, BuiltInMachines.definitions)
        #expect(found == [] && replay.steps == 1)
    }

    // MARK: Other machines

    private func trial(
        _ harness: EngineHarness, _ definitions: [Definition]
    ) throws -> (found: [String], replay: Replay) {
        var replay = Replay(
            trying: definitions, over: try Catalogue(BuiltInMachines.definitions))
        var found: [String] = []
        for record in try harness.store.records(after: 0, limit: .max, bytes: .max) {
            guard let divergence = replay.replay(record) else { continue }
            found.append("\(divergence.instance) v\(divergence.version) \(divergence.what)")
            #expect(divergence.evidence?.stored.isEmpty == false)
        }
        return (found, replay)
    }

    @Test func `a trial continues after a difference, and shows each`() throws {
        let harness = try EngineHarness()
        for _ in 0..<2 { _ = try harness.send("counter/state", #""increment""#) }
        _ = try harness.send("counter/back", #"{"type":"add","amount":3}"#)
        _ = try harness.send("counter/back", #"{"type":"add","amount":-3}"#)
        _ = try harness.send("turnstile/t", #""COIN""#)
        let other = Definition(Twice.self, named: "counter", version: "2")
        let (found, replay) = try trial(harness, [other])
        #expect(
            found == [
                "counter/state v1 another state", "counter/state v2 another state",
                "counter/back v1 the event is refused", "counter/back v2 another state",
            ])
        #expect(replay.steps == 4 && replay.skipped == 1)
        #expect(Array(replay.obstacles.values) == [.noMachine])
        #expect(try trial(harness, BuiltInMachines.definitions).found == [])
    }

    @Test func `a trial has the evidence of a refusal`() throws {
        let harness = try EngineHarness()
        _ = try harness.send("counter/c", #"{"type":"add","amount":3}"#)
        var replay = Replay(
            trying: [Definition(Twice.self, named: "counter", version: "2")],
            over: try Catalogue(BuiltInMachines.definitions))
        let records = try harness.store.records(after: 0, limit: .max, bytes: .max)
        let found = records.compactMap { replay.replay($0) }
        let first = try #require(found.first)
        #expect(found.count == 1 && first.parts == [.refusal, .state])
        #expect(first.reason?.contains("not that") == true)
        #expect(first.evidence?.event?.text == #"{"type":"add","amount":3}"#)
        #expect(first.evidence?.stored.text == #"{"count":3}"#)
        #expect(first.evidence?.other?.text == #"{"count":0}"#)
    }

    /// Begins and counts as `countdown` does, and ends one event earlier.
    private enum Short: Transducer, InitialState {
        struct State: Terminable, Codable, Sendable {
            var left = 2
            var isTerminal: Bool { left <= 1 }
        }
        enum Event: Codable, Sendable { case tick }
        static let initialState = State()
        static func initialOutput(initialState: State) -> String? { "ready" }
        static func update(_ state: inout State, event: Event) -> String {
            state.left -= 1
            return "\(state.left)"
        }
    }

    @Test func `an earlier end is a difference, and refuses what comes after it`() throws {
        let harness = try EngineHarness(testDefinitions)
        for _ in 0..<2 { _ = try harness.send("countdown/c", #""tick""#) }
        let short = Definition(Short.self, named: "countdown", version: "2")
        var replay = Replay(trying: [short], over: try Catalogue(testDefinitions))
        let records = try harness.store.records(after: 0, limit: .max, bytes: .max)
        let found = records.compactMap { replay.replay($0) }
        #expect(found.map(\.what) == ["the instance is done", "the event is refused"])
        #expect(found.first?.parts == .end && found.last?.reason == "the instance is done already")
    }

    /// Counts as `countdown` does, from three.
    private enum Longer: Transducer, InitialState {
        struct State: Terminable, Codable, Sendable {
            var left = 3
            var isTerminal: Bool { left == 0 }
        }
        enum Event: Codable, Sendable { case tick }
        static let initialState = State()
        static func initialOutput(initialState: State) -> String? { "ready" }
        static func update(_ state: inout State, event: Event) -> String {
            state.left -= 1
            return state.left == 0 ? "liftoff" : "\(state.left)"
        }
    }

    @Test func `another beginning is a difference, and the other machine continues`() throws {
        let harness = try EngineHarness(testDefinitions)
        for _ in 0..<2 { _ = try harness.send("countdown/c", #""tick""#) }
        let longer = Definition(Longer.self, named: "countdown", version: "2")
        var replay = Replay(trying: [longer], over: try Catalogue(testDefinitions))
        let records = try harness.store.records(after: 0, limit: .max, bytes: .max)
        let found = records.compactMap { replay.replay($0) }
        #expect(
            found.map(\.what) == [
                "the machine begins in another state", "another state", "another state",
            ])
        #expect(
            found.map { $0.evidence?.other?.text ?? "" }
                == (1...3).reversed().map {
                    #"{"left":\#($0)}"#
                })
        #expect(found.last?.parts == [.state, .outputs, .end])
    }
}
