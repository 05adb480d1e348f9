import Transducers

/// One instance in memory: its snapshot as of the last step taken, committed or not.
struct Resident {
    /// The snapshot; `state` is kept up to date with every step.
    var stored: StoredInstance

    /// The typed instance; made of `stored.state` when the first event needs it.
    var machine: (any HostedInstance)?

    /// Whether the snapshot differs from what is committed.
    var isDirty = false

    /// Whether it came into being in the batch that is not committed yet.
    var isNew = false

    /// Whether it was used since the clock hand passed it last.
    var wasUsed = true
}

/// The instances in memory, by name. Bounded: past the bound, instances that were not used since
/// the hand's last round are dropped (second chance); dirty ones never are.
struct InstanceTable {
    private var slots: [Resident?] = []
    private var free: [Int] = []
    private var byName: [InstanceName: Int] = [:]
    private var hand = 0

    var count: Int { byName.count }

    func slot(of name: InstanceName) -> Int? { byName[name] }

    subscript(slot: Int) -> Resident {
        get {
            guard let resident = slots[slot] else {
                preconditionFailure("a slot is used only while an instance is in it")
            }
            return resident
        }
        _modify {
            guard slots[slot] != nil else {
                preconditionFailure("a slot is used only while an instance is in it")
            }
            // A plain unwrap in place: no copy of the resident is made.
            yield &slots[slot].unwrapped
        }
    }

    /// Puts an instance in and answers its slot.
    mutating func insert(_ resident: Resident) -> Int {
        let slot: Int
        if let reused = free.popLast() {
            slot = reused
            slots[slot] = resident
        } else {
            slot = slots.count
            slots.append(resident)
        }
        byName[resident.stored.name] = slot
        return slot
    }

    /// Takes an instance out.
    mutating func remove(_ slot: Int) {
        guard let resident = slots[slot] else { return }
        byName[resident.stored.name] = nil
        slots[slot] = nil
        free.append(slot)
    }

    /// Drops idle instances until at most `bound` are left, if that many are idle.
    mutating func shrink(to bound: Int) {
        var looked = 0
        while count > bound, looked < 2 * slots.count {
            if hand >= slots.count { hand = 0 }
            if let resident = slots[hand], !resident.isDirty {
                if resident.wasUsed {
                    slots[hand]?.wasUsed = false
                } else {
                    remove(hand)
                }
            }
            hand += 1
            looked += 1
        }
    }
}

extension Optional {
    /// The wrapped value, to be changed in place. The caller has checked that there is one.
    fileprivate var unwrapped: Wrapped {
        get {
            guard let self else { preconditionFailure("nothing to unwrap") }
            return self
        }
        _modify {
            guard var value = self.take() else { preconditionFailure("nothing to unwrap") }
            defer { self = .some(value) }
            yield &value
        }
    }
}
