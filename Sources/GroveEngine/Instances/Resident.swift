import Transducers

/// One instance in memory, with its snapshot after the last step, committed or not.
///
/// Never copied on an event's way: functions get its index in the table and change it there.
struct Resident {
    /// The snapshot; every step updates its `state`.
    var stored: StoredInstance

    /// The typed instance; decoded from `stored.state` when the first event needs it. Steps change
    /// it in place; ``restore(_:)`` and ``dropMachine()`` set it.
    var machine: (any HostedInstance)?

    /// Whether `machine` isn't `nil`. Stored, because it is tested before every step, and to look
    /// at `machine` would copy it.
    private(set) var isRestored: Bool

    /// Whether the typed instance has another version of its definition than the last step.
    var hasNewDefinition = false

    /// Its live effects; read when first needed.
    var effects: InstanceEffects?

    /// Whether the snapshot differs from the committed one. It is then in the batch's writes.
    var isDirty = false

    /// Its index in the batch's list of changed instances, while dirty.
    var dirtyIndex = 0

    /// The index of its write in the batch, while dirty.
    var writeIndex = 0

    /// Whether the snapshot has changed since it was added to the batch's writes.
    var isWriteStale = false

    /// Whether the uncommitted batch created it.
    var isNew = false

    var wasUsed = true

    /// Its part of the table's bytes.
    var countedBytes = 0

    var bytes: Int { stored.state.count + (effects?.bytes ?? 0) }

    /// Sets the typed instance.
    mutating func restore(_ machine: any HostedInstance) {
        self.machine = machine
        isRestored = true
    }

    /// Drops the typed instance, so that it is decoded again from the stored state.
    mutating func dropMachine() {
        machine = nil
        hasNewDefinition = false
        isRestored = false
    }

    init(stored: StoredInstance, machine: (any HostedInstance)? = nil) {
        self.stored = stored
        self.machine = machine
        isRestored = machine != nil
    }
}
