import GroveWire
import Testing
import Transducers

@testable import GroveEngine

/// One record for all steps must be as new for each.
@Suite("RecordDraft")
struct RecordDraftTests {
    private static let trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"

    /// A record in which every member has another value than in a new one.
    private func filled(_ trace: TraceParent) throws -> JournalRecord {
        var record = JournalRecord(sequence: 7, kind: .stopped, by: 5, trace: trace)
        record.number = InstanceNumber(3)
        record.name = InstanceName("counter/a")
        record.version = 4
        record.at = Timestamp(milliseconds: 9)
        record.previous = 6
        record.skip = 2
        record.beforeEffects = 5
        record.stateAt = 7
        record.isDone = true
        record.event = [1]
        record.dedup = [2]
        record.eventHash = EventHash(written: Array("3".utf8))
        record.outputs = [StepBuffer.Output(type: nil, data: [4])]
        record.state = [5]
        record.effects = [[6]]
        record.effectRows = [7]
        record.reason = "why"
        record.base = JournalRecord.Base(state: [8], at: Timestamp(milliseconds: 1))
        record.definitionVersion = "2"
        return record
    }

    private func members(_ record: JournalRecord) -> [(name: String, text: String)] {
        Mirror(reflecting: record).children.map { ($0.label ?? "", String(describing: $0.value)) }
    }

    @Test func `nothing is left of the step before`() throws {
        let trace = try #require(
            TraceParent(Self.trace.utf8))
        var record = try filled(trace)
        let new = JournalRecord(sequence: 8, kind: .step, by: 1, trace: nil)
        for (full, empty) in zip(members(record), members(new)) {
            #expect(full.text != empty.text, "\(full.name) must be filled, or it isn't tested")
        }
        record.reset(sequence: 8, kind: .step, by: 1, trace: nil)
        #expect(record == new)
        record.reset(sequence: 9, kind: .step, by: 0, trace: trace)
        #expect(record == JournalRecord(sequence: 9, kind: .step, by: 0, trace: trace))
    }

    @Test func `events after one with a dedup key and effects have none of it`() throws {
        let draft = RecordDraft()
        draft.record = try filled(
            try #require(
                TraceParent(Self.trace.utf8)))
        draft.record.reset(sequence: 10, kind: .step, by: 0, trace: nil)
        var bytes: [UInt8] = []
        draft.record.name = InstanceName("counter/b")
        draft.record.encode(into: &bytes)
        let decoded = try bytes.withUnsafeBytes {
            try JournalRecord(decoding: $0, sequence: 10)
        }
        #expect(decoded.dedup == nil && decoded.event == nil && decoded.effects.isEmpty)
        #expect(decoded.state == nil && decoded.outputs.isEmpty && !decoded.isDone)
    }
}
