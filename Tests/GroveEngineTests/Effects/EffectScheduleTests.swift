import Testing

@testable import GroveEngine

/// Effects on their way from ``EffectSchedule`` into the ``EffectWork`` of a batch, and back.
@Suite("EffectSchedule and EffectWork")
struct EffectScheduleTests {
    private func row(_ run: Int64) -> StoredEffect {
        StoredEffect(
            ref: EffectRef(instance: InstanceNumber(1), number: run),
            body: StoredEffect.Body(
                owner: "lab/a", phase: .active, run: nil, asked: Timestamp(milliseconds: 0)))
    }

    @Test func `lost effects that don't fit into a batch come first in the next`() {
        var schedule = EffectSchedule(log: "", handlers: [:])
        for run in 1...3 { schedule.lose(row(Int64(run))) }
        var work = EffectWork()
        work.due.append((row(9).ref, "lab/a", false))
        schedule.moveLost(to: &work)
        #expect(schedule.lost.isEmpty && work.due.count == 4)
        #expect(work.next()?.ref.number == 9 && work.next()?.ref.number == 1)
        schedule.lose(row(4))
        schedule.restoreLost(of: work)
        #expect(schedule.lost.map(\.ref.number) == [2, 3, 4])
        work.removeAll()
        #expect(work.next() == nil && work.undoneLost.isEmpty)
    }

    @Test func `a search finds at most as many lost effects as a batch ends`() {
        var schedule = EffectSchedule(log: "", handlers: [:])
        for run in 1..<Limits.effectsPerBatchMax { schedule.lose(row(Int64(run))) }
        #expect(schedule.hasRoomForLost)
        schedule.lose(row(0))
        #expect(!schedule.hasRoomForLost)
    }

    @Test func `changes of effects go into one record`() {
        var work = EffectWork()
        work.record(EffectRecord(.stale))
        work.record(EffectRecord(.refused))
        let records = work.removeRecords().map { String(decoding: $0, as: UTF8.self) }
        #expect(records == [#"{"type":"stale"}"#, #"{"type":"refused"}"#])
        #expect(work.removeRecords().isEmpty)
    }
}
