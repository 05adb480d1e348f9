import GroveEngine
import GroveTestSupport
import Testing
import Transducers

/// The reads of one turn for snapshots and catching up, counted.
@Suite("turns of subscriptions")
struct SnapshotTurnTests {
    /// The bytes that a turn may read: a mebibyte, and the row that exceeds it.
    private static let turnMax = (1 << 20) + 256 << 10

    private let store = CountingStore()

    /// Instances with states of a given number of bytes.
    private func harness(
        _ count: Int, stateBytes: Int, window: Int = 4 << 20
    ) throws -> EngineHarness {
        var options = EngineOptions()
        options.connectionWindow = window
        let harness = try EngineHarness(testDefinitions, options: options, store: store)
        for number in 0..<count {
            let event = #"{"type":"grow","value":\#(stateBytes)}"#
            _ = try harness.send("quiet/q\(100 + number)", event)
        }
        return harness
    }

    /// Runs all turns; returns the most that one of them has read, and the records.
    private func turns(
        _ harness: EngineHarness
    ) throws -> (bytesMax: Int, sent: [String], weight: Int) {
        var (bytesMax, weight) = (0, 0)
        var sent: [String] = []
        while harness.engine.hasBackgroundWork {
            store.stateBytes = 0
            let actions = try harness.engine.work(at: harness.now, store: store)
            bytesMax = max(bytesMax, store.stateBytes)
            sent += actions.publications.map { String($0.summary.prefix(21)) }
            weight += actions.publications.reduce(0) { $0 + $1.weight }
        }
        return (bytesMax, sent, weight)
    }

    @Test func `a turn of a snapshot has a bound of bytes`() throws {
        let harness = try harness(60, stateBytes: 100_000, window: 64 << 20)
        _ = try harness.subscribe("s", kinds: .output, snapshot: true)
        let (bytesMax, sent, _) = try turns(harness)
        #expect(bytesMax < Self.turnMax)
        let expected = (0..<60).map { "s snapshot quiet/q\(100 + $0)" }
        #expect(sent.dropLast(2).elementsEqual(expected))
        #expect(sent.suffix(2).map { $0.prefix(8) } == ["s mark s", "s mark l"])
    }

    @Test func `a snapshot without credit reads what it can't send once, and not all of it`()
        throws
    {
        let harness = try harness(30, stateBytes: 100_000)
        _ = try harness.subscribe("s", kinds: .output, snapshot: true, credit: 0)
        #expect(try turns(harness).bytesMax < 400_000)
        for number in 0..<30 {
            store.stateBytes = 0
            let name = SubscriptionName(Array("s".utf8))
            _ = try harness.ask(.credit(name, 1))
            let sent = try turns(harness).sent
            #expect(sent.first == "s snapshot quiet/q\(100 + number)")
            #expect(store.stateBytes < 400_000)
            #expect(sent.count == (number == 29 ? 3 : 1), "the marks cost no credit")
        }
    }

    @Test func `nothing is read for a connection that accepts nothing`() throws {
        let harness = try harness(30, stateBytes: 100_000, window: 150_000)
        _ = try harness.subscribe("s", kinds: .output, snapshot: true)
        let first = try turns(harness)
        #expect(first.sent.count == 2 && first.bytesMax < 400_000)
        store.stateBytes = 0
        _ = try harness.subscribe("t", kinds: .output, snapshot: true)
        #expect(try turns(harness).sent.isEmpty)
        #expect(store.stateBytes == 0)
        harness.engine.drained(EngineHarness.connection, through: first.weight)
        #expect(try turns(harness).sent.count == 2)
    }

    @Test func `states before steps count, and all subscriptions together`() throws {
        let harness = try harness(1, stateBytes: 400_000)
        for number in 0..<20 {
            let size = 400_000 + number
            _ = try harness.send("quiet/q100", #"{"type":"grow","value":\#(size)}"#)
        }
        for number in 0..<8 {
            let connection = ConnectionID(UInt64(20 + number))
            _ = try harness.subscribe(
                "s", kinds: .state, from: .first, connection: connection)
        }
        var most = 0
        while harness.engine.hasBackgroundWork {
            let actions = try harness.engine.work(at: harness.now, store: store)
            most = max(most, actions.publications.reduce(0) { $0 + $1.weight })
        }
        #expect(most > 400_000 && most < 4 << 20)
    }
}
