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
}
