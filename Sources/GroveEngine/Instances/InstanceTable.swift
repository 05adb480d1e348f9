import Transducers

/// One instance in memory: its snapshot as of the last step taken, committed or not. An object,
/// so that a step changes it where it is; it never leaves the engine.
final class Resident {
    /// The snapshot; `state` is kept up to date with every step.
    var stored: StoredInstance

    /// The typed instance; made of `stored.state` when the first event needs it.
    var machine: (any HostedInstance)? {
        didSet { isRestored = true }
    }

    /// Whether `machine` is there; asked before every step, without touching it.
    private(set) var isRestored: Bool

    /// Whether the snapshot differs from what is committed.
    var isDirty = false

    /// Whether it came into being in the batch that is not committed yet.
    var isNew = false

    /// Whether it was used since the clock hand passed it last.
    var wasUsed = true

    /// Its place in the table's ring.
    fileprivate var place = -1

    init(stored: StoredInstance, machine: (any HostedInstance)? = nil) {
        self.stored = stored
        self.machine = machine
        isRestored = machine != nil
    }
}

/// The instances in memory, by name. Bounded: past the bound, instances that were not used since
/// the hand's last round are dropped (second chance); dirty ones never are.
struct InstanceTable {
    private var byName: [InstanceName: Resident] = [:]
    private var ring: [Resident] = []
    private var hand = 0

    var count: Int { ring.count }

    subscript(name: InstanceName) -> Resident? { byName[name] }

    mutating func insert(_ resident: Resident) {
        precondition(byName[resident.stored.name] == nil, "an instance is in memory once")
        byName[resident.stored.name] = resident
        resident.place = ring.count
        ring.append(resident)
    }

    mutating func remove(_ resident: Resident) {
        guard resident.place >= 0 else { return }
        byName[resident.stored.name] = nil
        let place = resident.place
        resident.place = -1
        guard let last = ring.popLast(), last !== resident else { return }
        ring[place] = last
        last.place = place
    }

    /// Drops idle instances until at most `bound` are left, if that many are idle.
    mutating func shrink(to bound: Int) {
        var looks = 2 * ring.count
        while count > bound, looks > 0 {
            looks -= 1
            if hand >= ring.count { hand = 0 }
            let resident = ring[hand]
            if resident.isDirty || resident.wasUsed {
                resident.wasUsed = false
                hand += 1
            } else {
                // The last of the ring takes the place, so the hand stays.
                remove(resident)
            }
        }
    }
}
