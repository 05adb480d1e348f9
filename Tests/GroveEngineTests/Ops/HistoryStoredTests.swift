import GroveEngine
import GroveTestSupport
import OrderedJSON
import Testing

/// History from a store without an engine, and done instances in snapshots.
@Suite("Stored history, and snapshots of done instances")
struct HistoryStoredTests {
    private func truncate(_ harness: EngineHarness, keeping steps: Int64) throws {
        let bounds = JournalBounds(stepsMax: steps)
        while try harness.engine.truncate(to: bounds, at: harness.now, store: harness.store) {}
    }

    private func expectSame(_ harness: EngineHarness, _ name: String) throws {
        let instance = try harness.instance(name)
        let stored = try #require(try harness.store.instance(named: instance))
        for after in [0, 1, 2, 7, 63, 64, 65, 130, 199, 200, 201] as [Int64] {
            for limit in [1, 3, 100, 1_000] {
                let history = History(to: instance, after: after, limit: limit)
                let read = try history.read(of: stored, in: harness.store)
                #expect(
                    read.summary == (try harness.ask(.history(history)).summary),
                    "after \(after), limit \(limit)")
            }
        }
    }

    @Test func `stored history is answered as a server answers it`() throws {
        let harness = try EngineHarness()
        for _ in 1...200 { _ = try harness.send("counter/a", #""increment""#) }
        _ = try harness.send("counter/b", #""increment""#)
        _ = try harness.ask(.stop(try harness.instance("counter/b"), reason: nil))
        for name in ["counter/a", "counter/b"] { try expectSame(harness, name) }
        for steps in [150, 20, 1] as [Int64] {
            try truncate(harness, keeping: steps)
            for name in ["counter/a", "counter/b"] { try expectSame(harness, name) }
        }
    }

    @Test func `history of an imported instance begins after its version`() throws {
        let harness = try EngineHarness()
        let name = try harness.instance("counter/a")
        _ = try harness.ask(
            .importing(Import(to: name, version: 64, state: Array(#"{"count":9}"#.utf8))))
        try expectSame(harness, "counter/a")
        for _ in 1...100 { _ = try harness.send("counter/a", #""increment""#) }
        try expectSame(harness, "counter/a")
    }

    @Test func `a snapshot marks done instances, also after a truncation`()
        throws
    {
        let harness = try EngineHarness()
        for name in ["a", "b", "c"] { _ = try harness.send("counter/\(name)", #""increment""#) }
        _ = try harness.ask(.stop(try harness.instance("counter/a"), reason: nil))
        for isCut in [false, true] {
            if isCut { try truncate(harness, keeping: 1) }
            let name = isCut ? "counter/c" : "counter/b"
            _ = try harness.subscribe(isCut ? "t" : "s", kinds: .lifecycle, snapshot: true)
            // Before the snapshot is read.
            _ = try harness.ask(.stop(try harness.instance(name), reason: nil))
            try harness.settle()
            let published = harness.takePublished().filter { $0.contains("snapshot counter") }
            let done = published.filter { $0.hasSuffix(" done") }.map { $0.dropFirst(11).prefix(9) }
            #expect(published.count == 3)
            #expect(done == (isCut ? ["counter/a", "counter/b"] : ["counter/a"]), "\(published)")
        }
    }
}
