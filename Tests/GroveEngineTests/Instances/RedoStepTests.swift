import Testing

@testable import GroveEngine

/// A step of the journal applied to the snapshot before it.
@Suite("Redoing a step")
struct RedoStepTests {
    private func created() throws -> StoredInstance {
        let name = try #require(InstanceName("m/a"))
        var stored = StoredInstance(number: InstanceNumber(7), name: name)
        stored.definitionVersion = "1"
        stored.state = [1]
        var record = JournalRecord(sequence: 3, kind: .created)
        record.state = [1]
        stored.link(&record, at: Timestamp(milliseconds: 5))
        return stored
    }

    /// A step as the engine makes it, and the snapshot after it.
    private func step(
        _ before: StoredInstance, at sequence: JournalPosition, state: [UInt8]?
    ) -> (record: JournalRecord, after: StoredInstance) {
        var after = before
        var record = JournalRecord(sequence: sequence, kind: .step)
        record.event = [0x31]
        var next = state ?? before.state
        after.apply(&next, result: nil, into: &record)
        after.link(&record, at: Timestamp(milliseconds: 100 + sequence))
        return (record, after)
    }

    @Test func `many steps in a row give the same snapshots`() throws {
        var stored = try created()
        var redone = stored
        for index in 0..<5_000 as Range<Int64> {
            let (record, after) = step(
                stored, at: 10 + 3 * index, state: index % 3 == 0 ? nil : Array("\(index)".utf8))
            stored = after
            try redone.redo(record)
            #expect(redone == stored)
        }
        #expect(stored.skips.count == 2)
    }

    @Test func `a dedup key, a base and another definition are taken over`() throws {
        let stored = try created()
        var (record, after) = step(stored, at: 9, state: nil)
        record.dedup = [1]
        record.definitionVersion = "2"
        record.base = JournalRecord.Base(state: [1], at: Timestamp(milliseconds: 5))
        record.stateAt = 9
        after.hasDedup = true
        after.definitionVersion = "2"
        after.stateAt = 9
        var redone = stored
        try redone.redo(record)
        #expect(redone == after)
    }

    @Test func `a step that doesn't follow the snapshot is refused`() throws {
        let stored = try created()
        let (record, after) = step(stored, at: 9, state: [2])
        let changes: [(inout JournalRecord) -> Void] = [
            { $0.previous = 2 }, { $0.version = 2 }, { $0.number = InstanceNumber(8) },
            { $0.kind = .effect }, { $0.isDone = true }, { $0.effects = [[0x31]] },
            { $0.stateAt = 3 }, { $0.skip = 3 }, { $0.name = InstanceName("m/b") },
        ]
        for (index, change) in changes.enumerated() {
            var other = record
            change(&other)
            var redone = stored
            #expect(throws: StoreError.self, "change \(index)") { try redone.redo(other) }
        }
        // Neither a step twice, nor one after a step that was left out.
        var redone = stored
        try redone.redo(record)
        #expect(throws: StoreError.self) { try redone.redo(record) }
        redone = stored
        let later = step(after, at: 12, state: [3]).record
        #expect(throws: StoreError.self) { try redone.redo(later) }
    }

    @Test func `the entry of a dedup key follows from its step`() throws {
        var (record, _) = step(try created(), at: 9, state: [2])
        #expect(record.dedupEntry == nil)
        record.dedup = [1]
        record.eventHash = EventHash(high: 1 << 63, low: 7)
        var bytes: [UInt8] = []
        record.encode(into: &bytes)
        let decoded = try bytes.read(0..<bytes.count) { bytes throws(StoreError) in
            #expect(try JournalHeading.instance(decoding: bytes)?.number == InstanceNumber(7))
            return try JournalRecord(decoding: bytes, sequence: 9)
        }
        #expect(decoded == record)
        let entry = try #require(decoded.dedupEntry)
        #expect(entry.hashHigh == 1 << 63 && entry.hashLow == 7)
        #expect(entry.sequence == 9 && entry.version == 1 && entry.changed && !entry.done)
        #expect(entry.written == EventHash(written: [0x31]))
    }
}
