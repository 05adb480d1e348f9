/// Durable storage, as the engine needs it. One suite of tests holds every implementation to this
/// contract (`Tests/GroveStorageTests/StoreContractTests.swift`). The engine doesn't know SQLite.
///
/// A store is confined to the engine queue. Reads see exactly the committed data. Journal positions
/// and instance numbers are dense and never reused.
public protocol Store: AnyObject {
    /// The id of this log, part of every cursor.
    var logID: LogID { get }

    /// The last committed journal step; 0 when the journal is empty.
    var head: JournalPosition { get }

    /// The journal's oldest position; `head + 1` when the journal is empty. Steps from there on may
    /// be erased: ``floors`` says which steps of each machine are held.
    var first: JournalPosition { get }

    /// The oldest step held, per machine. Never lies before a removed step, and never decreases.
    var floors: JournalFloors { get }

    /// The highest instance number ever assigned; 0 when there was none.
    var lastInstanceNumber: InstanceNumber { get }

    /// The instances and machines that are suspended or set aside. All of them are in memory.
    var holds: [HoldSubject: Hold] { get }

    /// The definitions of machines as data, in the order of definition. All of them are in memory.
    var definitions: [StoredDefinition] { get }

    /// The principals and tokens, and the end of the audit. All of them are in memory.
    var accounts: StoredAccounts { get }

    /// Returns up to `limit` entries of the audit after a number, in order. The oldest ones may be
    /// gone (``truncateAudit(before:at:)``).
    func audit(after number: Int64, limit: Int) throws(StoreError) -> AuditPage

    /// Removes the oldest entries of the audit made before a time, but never the last one: about a
    /// millisecond of work in a separate transaction. Returns whether more is left.
    ///
    /// An entry of a time after `now` was made while the clock was ahead. It goes with the entries
    /// before it, once one after it is old enough: it would keep all later ones for ever.
    ///
    /// - Throws: As ``truncate(to:at:)``.
    func truncateAudit(before time: Timestamp, at now: Timestamp) throws(StoreError) -> Bool

    /// The counts of each machine that has instances. All of them are in memory.
    var machineCounts: [String: MachineCounts] { get }

    /// Returns the committed snapshot of one instance, or `nil`.
    func instance(named name: InstanceName) throws(StoreError) -> StoredInstance?

    /// Returns whether `number` belongs to a deleted instance whose steps ``purge()`` may not have
    /// erased yet. Called for every step that is read, so it must be cheap.
    func isDeleted(_ number: InstanceNumber) throws(StoreError) -> Bool

    /// Returns up to `limit` instances in the byte order of their full names (`machine/instance`)
    /// that start with `prefix` and are greater than `after`. May end early after about `bytes`
    /// bytes of states, but has at least one instance if there is one.
    func instances(
        prefix: String, after: String?, limit: Int, bytes: Int
    ) throws(StoreError) -> [StoredInstance]

    /// Returns one journal step, or `nil` when it is past the head or no longer held.
    func record(at sequence: JournalPosition) throws(StoreError) -> JournalRecord?

    /// Returns up to `limit` journal steps after `sequence`, in order and without holes; erased
    /// ones are included as `.erased`. May end early after about `bytes` bytes, but has at least
    /// one step if there is one.
    func records(
        after sequence: JournalPosition, limit: Int, bytes: Int
    ) throws(StoreError) -> [JournalRecord]

    /// Returns the committed entry of an instance's dedup key, or `nil`.
    func dedup(_ number: InstanceNumber, key: [UInt8]) throws(StoreError) -> DedupEntry?

    /// Returns the stored effects of one instance, in the order of their numbers.
    func effects(of number: InstanceNumber) throws(StoreError) -> [StoredEffect]

    /// Returns one effect, or `nil`.
    func effect(_ ref: EffectRef) throws(StoreError) -> StoredEffect?

    /// Returns up to `limit` effects due at `now` or before, the earliest first, then by ref.
    func effectsDue(at now: Timestamp, limit: Int) throws(StoreError) -> [EffectRef]

    /// Returns the time when the next effect is due; `nil` when none is scheduled.
    func nextDue() throws(StoreError) -> Timestamp?

    /// Returns up to `limit` effects after `after` that wait for a handler, in the order of refs.
    func effects(
        inHandlerQueue queue: String, after: EffectRef?, limit: Int
    ) throws(StoreError) -> [EffectRef]

    /// Returns up to `limit` effects of a machine's instances after `after` that have failed, or
    /// that ask, in the order of refs. Reads none of the others.
    func effects(
        _ attention: EffectAttention, of machine: String, after: EffectRef?, limit: Int
    ) throws(StoreError) -> [EffectRef]

    /// Like ``effects(of:)``, but neighboring rows may be damaged. The caller must know how many
    /// effects to expect.
    func ownEffects(of number: InstanceNumber) throws(StoreError) -> [StoredEffect]

    /// Like ``effectsDue(at:limit:)``, but skips and names damaged effects instead of throwing. Its
    /// result may be out of order.
    func soundEffectsDue(at now: Timestamp, limit: Int) throws(StoreError) -> SoundEffects

    /// Like ``effects(inHandlerQueue:after:limit:)``, but skips and names damaged effects.
    func soundEffects(
        inHandlerQueue queue: String, after: EffectRef?, limit: Int
    ) throws(StoreError) -> SoundEffects

    /// Like ``handlerQueues()``, but entries may be damaged. Its names may include some for
    /// which no effect waits.
    func soundHandlerQueues() throws(StoreError) -> [String]

    /// Returns the names of all handlers that effects wait for, in order.
    func handlerQueues() throws(StoreError) -> [String]

    /// Returns a page of effects after `after`, in the order of refs.
    func effects(after: EffectRef?, limit: Int) throws(StoreError) -> [StoredEffect]

    /// Writes everything in one transaction and returns when it is durable.
    ///
    /// - Throws: `.full` when the disk is full, `.tooLarge` when a row is larger than
    ///   ``Limits/storedRowBytesMax``; then *nothing* was written. After any other error the
    ///   outcome is unknown, and the process must end without another ack (reliability.md, P8).
    func commit(_ writes: WriteSet) throws(StoreError)

    /// Moves the write-ahead log into the data file if that is due. Called after the answers of a
    /// commit were released. A store that moves its log within commits does nothing here.
    ///
    /// - Throws: As ``commit(_:)``, but never `.full`: a full disk postpones it.
    func checkpoint() throws(StoreError)

    /// Checks whether there is room again after a commit that threw `.full`: writes bytes durably
    /// and leaves the stored data as it was.
    ///
    /// - Throws: `.full` when there is no room; any other error as ``commit(_:)``.
    func probeDiskSpace() throws(StoreError)

    /// Completes what opening the store left for later, and then erases steps and dedup records of
    /// deleted instances, for about a millisecond. Returns
    /// whether more is left.
    func purge() throws(StoreError) -> Bool

    /// Removes the oldest journal steps past the bounds, about a millisecond of work in a separate
    /// transaction. Returns whether more is left. The newest steps always stay, and up to a page of
    /// steps may stay although the bounds are exceeded.
    ///
    /// A step of a time after `now` was taken while the clock was ahead. It counts as old as the
    /// next one of another time, because it would keep all later ones until then.
    ///
    /// - Throws: `.full` when there is no room for the transaction: nothing was removed. `.corrupt`
    ///   when the oldest steps are damaged: they stay. `.inputOutput`.
    func truncate(to bounds: JournalBounds, at now: Timestamp) throws(StoreError) -> Bool

    /// Removes the oldest journal steps of machines with separate bounds, about a millisecond of
    /// work in a separate transaction. Returns whether more is left. Up to a page of a machine's
    /// steps may stay although its bounds are exceeded. Also removes positions at the journal's old
    /// end that hold no step any more. Never removes steps of other machines.
    ///
    /// Bytes are those of the encoded steps before compression. Empty bounds remove nothing.
    ///
    /// - Throws: As ``truncate(to:at:)``.
    func truncateMachines(
        to bounds: [String: JournalBounds], at now: Timestamp
    ) throws(StoreError) -> Bool

    /// Searches up to `limit` instances after `number`, in the order of numbers, for those that are
    /// done and had their last step before `time`. May search fewer, but at least one if there is
    /// one.
    func finished(
        after number: InstanceNumber, before time: Timestamp, limit: Int
    ) throws(StoreError) -> FinishedPage

    /// Returns named counters and gauges for `stats`, in a fixed order.
    func statistics() -> [(name: String, value: Int64)]
}

extension Store {
    /// Does nothing: the store has no log, or moves it within commits.
    public func checkpoint() throws(StoreError) {}

    /// As the one with `bytes`, without that bound, for tools and tests.
    public func instances(
        prefix: String, after: String?, limit: Int
    ) throws(StoreError) -> [StoredInstance] {
        try instances(prefix: prefix, after: after, limit: limit, bytes: .max)
    }
}
