import GroveEngine
import GroveTestSupport

/// A store in memory that finds effects by index, for many thousands of them.
final class TimerStore: ForwardingStore {
    private var rows: [InstanceNumber: [Int64: StoredEffect]] = [:]
    /// The due times in descending order.
    private var agenda: [(due: Timestamp, ref: EffectRef)] = []

    init() { super.init(RedoCheckingStore(MemoryStore())) }

    override func commit(_ writes: WriteSet) throws(StoreError) {
        try super.commit(writes)
        for write in writes.effects {
            if let due = rows[write.ref.instance]?[write.ref.number]?.due {
                agenda.remove(at: place(of: due, write.ref))
            }
            rows[write.ref.instance, default: [:]][write.ref.number] = write.row
            if let due = write.row?.due {
                agenda.insert((due, write.ref), at: place(of: due, write.ref))
            }
        }
    }

    private func place(of due: Timestamp, _ ref: EffectRef) -> Int {
        var (low, high) = (0, agenda.count)
        while low < high {
            let middle = (low + high) / 2
            if agenda[middle] > (due, ref) { low = middle + 1 } else { high = middle }
        }
        return low
    }

    override func effects(of number: InstanceNumber) throws(StoreError) -> [StoredEffect] {
        (rows[number] ?? [:]).values.sorted { $0.ref < $1.ref }
    }

    override func effect(_ ref: EffectRef) throws(StoreError) -> StoredEffect? {
        rows[ref.instance]?[ref.number]
    }

    override func nextDue() throws(StoreError) -> Timestamp? { agenda.last?.due }

    override func effectsDue(
        at now: Timestamp, limit: Int
    ) throws(StoreError) -> [EffectRef] {
        agenda.reversed().prefix { $0.due <= now }.prefix(limit).map(\.ref)
    }
}
