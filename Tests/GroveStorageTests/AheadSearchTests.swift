import GroveEngine
import Testing

@testable import GroveStorage

/// How old steps are at least whose times haven't come yet.
@Suite("AheadSearch")
struct AheadSearchTests {
    /// A block with a step of each time.
    private func block(_ first: JournalPosition, _ times: Int64...) throws -> JournalBlock {
        var writes = WriteSet(firstSequence: first)
        for (place, time) in times.enumerated() {
            var record = JournalRecord(sequence: first + Int64(place), kind: .step)
            record.number = InstanceNumber(1)
            record.name = InstanceName("a/a")
            record.at = Timestamp(milliseconds: time)
            record.event = [0x31]
            record.encode(into: &writes.journal)
            writes.journalEnds.append(writes.journal.count)
        }
        var writer = BlockWriter()
        var blocks: [JournalBlock] = []
        try writer.forEachBlock(writes, bytesMax: 4_096) {
            (first, count, bytes) throws(StoreError) in
            blocks.append(
                try JournalBlock(
                    first: first, count: count, bytes: Array(bytes), link: 0, chain: 0))
        }
        return try #require(blocks.first)
    }

    @Test func `steps count as old as the next one whose time has come`() throws {
        let now = Timestamp(milliseconds: 500)
        let ahead = Timestamp(milliseconds: 9_000)
        var search = AheadSearch()
        search.begin(at: 4)
        #expect(search.end == 4)
        #expect(try !search.look(at: block(4, 9_000, 9_001), now))
        #expect(search.end == 6 && search.latest(ahead, at: 4) == ahead)
        #expect(try search.look(at: block(6, 400, 450), now))
        #expect(search.latest(ahead, at: 4) == Timestamp(milliseconds: 450))
        #expect(search.latest(Timestamp(milliseconds: 3), at: 5) == Timestamp(milliseconds: 3))
        #expect(search.latest(ahead, at: 8) == ahead, "nothing is known of it")
        search.begin(at: 7)
        #expect(search.end == 8 && search.latest(ahead, at: 7) < now)
        search.begin(at: 8)
        #expect(search.latest(ahead, at: 7) == ahead)
    }

    @Test func `the newest step of a block is one that isn't erased`() throws {
        #expect(try block(1, 5, 7).newest() == Timestamp(milliseconds: 7))
    }
}
