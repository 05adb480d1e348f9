import GroveTestSupport
import Testing

@testable import GroveEngine

@Suite("EffectAttention")
struct EffectAttentionTests {
    @Test(
        arguments: [
            (StoredEffect.Phase.failed, EffectAttention.failed), (.asking, .asking),
            (.waiting, nil), (.sleeping, nil), (.active, nil), (.child, nil), (.sequence, nil),
            (.delivering, nil), (.stopping, nil), (.completed, nil),
        ] as [(StoredEffect.Phase, EffectAttention?)])
    func `only failed and asking effects need attention`(
        phase: StoredEffect.Phase, attention: EffectAttention?
    ) {
        #expect(EffectAttention(phase) == attention)
        let row = StoredEffect(
            ref: EffectRef(instance: InstanceNumber(1), number: 1),
            body: StoredEffect.Body(
                owner: "order/a/b", phase: phase, run: nil, asked: Timestamp(milliseconds: 0)))
        #expect(row.attention == attention)
        #expect(row.machine == "order")
    }

    @Test func `the counts of a machine have one for each attention`() {
        var counts = MachineCounts()
        counts[.failed] += 2
        counts[.asking] += 3
        #expect(counts.failed == 2 && counts[.failed] == 2)
        #expect(counts.asking == 3 && counts[.asking] == 3)
        #expect(counts.instances == 0 && counts.done == 0)
    }

    @Test func `the numbers are those of stored rows`() {
        #expect(EffectAttention.failed.rawValue == 1)
        #expect(EffectAttention.asking.rawValue == 2)
    }
}
