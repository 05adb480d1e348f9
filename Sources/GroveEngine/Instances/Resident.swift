import Transducers

/// One instance in memory: its snapshot as of the last step taken, committed or not.
///
/// Never copied on the way of an event: whoever works with it names its place in the table and
/// changes it there.
struct Resident {
    /// The snapshot; `state` is kept up to date with every step.
    var stored: StoredInstance

    /// The typed instance; made of `stored.state` when the first event needs it.
    var machine: (any HostedInstance)? {
        didSet { isRestored = true }
    }

    /// Whether the typed instance is there; asked before every step, without touching it.
    private(set) var isRestored: Bool

    /// Whether the typed instance is of another version of its definition than the last step; its
    /// next step is then the first one of that version.
    var hasNewDefinition = false

    /// Its effects that live; read when they are first needed.
    var effects: InstanceEffects?

    /// Whether the snapshot differs from what is committed. It is then among the batch's writes.
    var isDirty = false

    /// Where it stands in the list of those that the batch changed; means nothing while not dirty.
    var dirtyIndex = 0

    /// Which of the batch's instance writes is this one's; means nothing while not dirty.
    var writeIndex = 0

    /// Whether the snapshot has changed since it was put among the batch's writes.
    var isWriteStale = false

    /// Whether it came into being in the batch that is not committed yet.
    var isNew = false

    /// Whether it was used since the clock hand passed it last.
    var wasUsed = true

    /// What the table counts of it.
    var countedBytes = 0

    /// Bytes of its state and of its effects, as they are stored.
    var bytes: Int { stored.state.count + (effects?.bytes ?? 0) }

    /// Forgets the typed instance, so that it is made anew of the stored state.
    mutating func forgetMachine() {
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
