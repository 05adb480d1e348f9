import GroveTestSupport
import Testing
import Transducers

@testable import GroveEngine

/// The work of one commit for subscriptions is bounded.
@Suite("Work of publishing to subscriptions")
struct PublishingWorkTests {
    private static let subscribers = 300

    /// A harness with a number of live subscriptions, each on its own connection.
    private func harness(
        _ options: EngineOptions = EngineOptions(), instance: String? = nil
    ) throws -> EngineHarness {
        let harness = try EngineHarness(testDefinitions, options: options)
        for number in 0..<Self.subscribers {
            _ = try harness.subscribe(
                "s", kinds: .output, instance: instance,
                connection: ConnectionID(UInt64(100 + number)))
        }
        try harness.settle()
        _ = harness.takePublished()
        return harness
    }

    private func burst(_ harness: EngineHarness, _ count: Int) throws -> [Request] {
        try (0..<count).map { number in
            Request(
                connection: EngineHarness.connection, token: UInt32(number),
                operation: try harness.makeSend("counter/c", #""increment""#))
        }
    }

    /// The number of requests of a burst per commit.
    private func commits(_ harness: EngineHarness, _ burst: [Request]) throws -> [Int] {
        var place = 0
        var commits: [Int] = []
        while place < burst.count {
            let begin = place
            try harness.engine.receive(
                burst[...], from: &place, at: harness.now, store: harness.store)
            commits.append(place - begin)
            harness.published += try harness.flush().publications
            try harness.settle()
        }
        return commits
    }

    @Test func `a commit has fewer steps the more selections they are compared with`() throws {
        let harness = try harness(instance: "*nobody*")
        let commits = try commits(harness, burst(harness, 1_000))
        let most = Limits.batchPublishingWorkMax / Self.subscribers + 1
        #expect(commits.count >= 4 && commits.allSatisfy { $0 <= most }, "\(commits)")
        #expect(harness.takePublished().isEmpty)
    }

    @Test func `a commit has fewer steps the more records they make`() throws {
        let harness = try harness()
        let commits = try commits(harness, burst(harness, 1_000))
        // Measured from the first commit on.
        let most = Limits.batchPublishingWorkMax / Self.subscribers / 3
        #expect(commits.dropFirst().allSatisfy { $0 <= most }, "\(commits)")
        try harness.settle()
        try expectAll(harness, count: 1_000)
    }

    /// Each subscription got each output once, in order.
    private func expectAll(_ harness: EngineHarness, count: Int) throws {
        var got: [ConnectionID: [JournalPosition]] = [:]
        for publication in harness.published {
            guard case .record(let step, _, _) = publication.content else { continue }
            for recipient in publication.recipients {
                got[recipient.connection, default: []].append(step.record.sequence)
            }
        }
        #expect(got.count == Self.subscribers)
        #expect(got.values.allSatisfy { $0.count == count && $0 == $0.sorted() })
        #expect(Set(got.values.map { Set($0).count }) == [count])
    }

    @Test func `records past a commit's bound come from the journal`()
        throws
    {
        var options = EngineOptions()
        options.connectionWindow = 64 << 20
        options.publicationsWindow = 1 << 30
        let harness = try harness(options)
        let item = try harness.item("counter/c", #""increment""#)
        let items = Array(repeating: item, count: 1_000)
        try harness.receive(.batch(SendBatch(items: items, isAtomic: false)))
        harness.published += try harness.flush().publications
        let told = harness.published.reduce(0) { $0 + $1.recipients.count }
        #expect(told > 0 && told <= Limits.publishingWorkMax / Limits.workOfOneRecord)
        try harness.settle()
        try expectAll(harness, count: 1_000)
        // Live again.
        harness.published = []
        _ = try harness.send("counter/c", #""increment""#)
        #expect(harness.published.count == 1)
    }

    @Test func `a large record goes to some at once and to the others in turns`() throws {
        var options = EngineOptions()
        options.connectionWindow = 64 << 20
        options.publicationsWindow = 1 << 30
        let harness = try EngineHarness(testDefinitions, options: options)
        for number in 0..<Self.subscribers {
            _ = try harness.subscribe(
                "s", kinds: .state, connection: ConnectionID(UInt64(100 + number)))
        }
        try harness.settle()
        _ = try harness.send("quiet/q", #"{"type":"grow","value":500000}"#)
        let bytes = harness.published.reduce(0) { $0 + $1.weight * $1.recipients.count }
        #expect(bytes <= Limits.publishingWorkMax * Limits.bytesOfOneWork + 1_100_000)
        var turns = 0
        while harness.engine.hasBackgroundWork {
            let actions = try harness.engine.work(at: harness.now, store: harness.store)
            let bytes = actions.publications.reduce(0) { $0 + $1.weight * $1.recipients.count }
            #expect(bytes <= 2 * Limits.catchUpBytesPerTurn)
            harness.published += actions.publications
            turns += 1
        }
        #expect(turns > 50)
        let states = harness.published.reduce(0) { sum, publication in
            guard case .record(let step, .state, _) = publication.content,
                step.record.state?.count ?? 0 > 400_000
            else { return sum }
            return sum + publication.recipients.count
        }
        #expect(states == Self.subscribers)
    }

    @Test func `subscriptions of connections that have ended cost nothing after a while`() throws {
        let harness = try harness()
        for number in 0..<Self.subscribers - 1 {
            harness.engine.connectionClosed(ConnectionID(UInt64(100 + number)))
        }
        let reach = harness.engine.subscriptions.reach(try harness.instance("counter/c"))
        #expect(reach < Self.subscribers / 2)
        _ = try harness.send("counter/c", #""increment""#)
        #expect(harness.takePublished().count == 1)
    }
}
