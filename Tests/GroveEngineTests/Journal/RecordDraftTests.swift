import GroveWire
import Testing
import Transducers

@testable import GroveEngine

/// One record for all steps must be as new for each.
@Suite("RecordDraft")
struct RecordDraftTests {
    private static let trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"

    /// A record in which every member has another value than in a new one.
    private func filled(_ trace: TraceParent) -> JournalRecord {
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
        let trace = try #require(TraceParent(Self.trace.utf8))
        let draft = RecordDraft()
        draft.record = filled(trace)
        let new = JournalRecord(sequence: 8, kind: .step, by: 1, trace: nil)
        for (full, empty) in zip(members(draft.record), members(new)) {
            #expect(full.text != empty.text, "\(full.name) must be filled, or it isn't tested")
        }
        draft.record.reset(sequence: 8, kind: .step, by: 1, trace: nil)
        #expect(draft.record == new)
        draft.record.reset(sequence: 9, kind: .step, by: 0, trace: trace)
        #expect(draft.record == JournalRecord(sequence: 9, kind: .step, by: 0, trace: trace))
    }
}
