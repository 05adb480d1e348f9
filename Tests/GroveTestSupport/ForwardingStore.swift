public import GroveEngine

/// A store that forwards every call to another one. Subclasses override the calls that must fail.
open class ForwardingStore: Store {
    /// The store that executes the calls.
    public let base: any Store

    /// Creates a store in front of `base`.
    public init(_ base: any Store) { self.base = base }

    /// The id of the log. No fault changes it.
    public var logID: LogID { base.logID }
    open var head: JournalPosition { base.head }
    open var first: JournalPosition { base.first }
    open var floors: JournalFloors { base.floors }
    open var holds: [HoldSubject: Hold] { base.holds }
    open var definitions: [StoredDefinition] { base.definitions }
    open var accounts: StoredAccounts { base.accounts }

    open func audit(after number: Int64, limit: Int) throws(StoreError) -> AuditPage {
        try base.audit(after: number, limit: limit)
    }

    open func truncateAudit(
        before time: Timestamp, at now: Timestamp
    ) throws(StoreError) -> Bool {
        try base.truncateAudit(before: time, at: now)
    }

    open var machineCounts: [String: MachineCounts] { base.machineCounts }
    open var lastInstanceNumber: InstanceNumber { base.lastInstanceNumber }

    open func instance(named name: InstanceName) throws(StoreError) -> StoredInstance? {
        try base.instance(named: name)
    }

    open func isDeleted(_ number: InstanceNumber) throws(StoreError) -> Bool {
        try base.isDeleted(number)
    }

    open func instances(
        prefix: String, after: String?, limit: Int, bytes: Int
    ) throws(StoreError) -> [StoredInstance] {
        try base.instances(prefix: prefix, after: after, limit: limit, bytes: bytes)
    }

    open func record(at sequence: JournalPosition) throws(StoreError) -> JournalRecord? {
        try base.record(at: sequence)
    }

    open func records(
        after sequence: JournalPosition, limit: Int, bytes: Int
    ) throws(StoreError) -> [JournalRecord] {
        try base.records(after: sequence, limit: limit, bytes: bytes)
    }

    open func dedup(_ number: InstanceNumber, key: [UInt8]) throws(StoreError) -> DedupEntry? {
        try base.dedup(number, key: key)
    }

    open func effects(of number: InstanceNumber) throws(StoreError) -> [StoredEffect] {
        try base.effects(of: number)
    }

    open func effect(_ ref: EffectRef) throws(StoreError) -> StoredEffect? {
        try base.effect(ref)
    }

    open func effects(
        _ attention: EffectAttention, of machine: String, after: EffectRef?, limit: Int
    ) throws(StoreError) -> [EffectRef] {
        try base.effects(attention, of: machine, after: after, limit: limit)
    }

    open func effectsDue(
        at now: Timestamp, limit: Int
    ) throws(StoreError) -> [EffectRef] {
        try base.effectsDue(at: now, limit: limit)
    }

    open func nextDue() throws(StoreError) -> Timestamp? { try base.nextDue() }

    open func effects(
        inHandlerQueue queue: String, after: EffectRef?, limit: Int
    ) throws(StoreError) -> [EffectRef] {
        try base.effects(inHandlerQueue: queue, after: after, limit: limit)
    }

    open func ownEffects(of number: InstanceNumber) throws(StoreError) -> [StoredEffect] {
        try base.ownEffects(of: number)
    }

    open func soundEffectsDue(
        at now: Timestamp, limit: Int
    ) throws(StoreError) -> SoundEffects { try base.soundEffectsDue(at: now, limit: limit) }

    open func soundEffects(
        inHandlerQueue queue: String, after: EffectRef?, limit: Int
    ) throws(StoreError) -> SoundEffects {
        try base.soundEffects(inHandlerQueue: queue, after: after, limit: limit)
    }

    open func soundHandlerQueues() throws(StoreError) -> [String] { try base.soundHandlerQueues() }

    open func handlerQueues() throws(StoreError) -> [String] { try base.handlerQueues() }

    open func effects(
        after: EffectRef?, limit: Int
    ) throws(StoreError) -> [StoredEffect] {
        try base.effects(after: after, limit: limit)
    }

    open func commit(_ writes: WriteSet) throws(StoreError) { try base.commit(writes) }

    open func checkpoint() throws(StoreError) { try base.checkpoint() }

    open func probeDiskSpace() throws(StoreError) { try base.probeDiskSpace() }

    open func purge() throws(StoreError) -> Bool { try base.purge() }

    open func truncate(
        to bounds: JournalBounds, at now: Timestamp
    ) throws(StoreError) -> Bool { try base.truncate(to: bounds, at: now) }

    open func truncateMachines(
        to bounds: [String: JournalBounds], at now: Timestamp
    ) throws(StoreError) -> Bool { try base.truncateMachines(to: bounds, at: now) }

    open func finished(
        after number: InstanceNumber, before time: Timestamp, limit: Int
    ) throws(StoreError) -> FinishedPage {
        try base.finished(after: number, before: time, limit: limit)
    }

    open func statistics() -> [(name: String, value: Int64)] { base.statistics() }
}
