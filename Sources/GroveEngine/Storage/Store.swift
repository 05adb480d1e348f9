/// What the engine asks of durable storage. One suite of tests holds every implementation to it
/// (`Tests/GroveStorageTests/StoreContractTests.swift`); nothing above knows SQLite.
///
/// A store is confined to the engine queue and never called from elsewhere. Reads see exactly
/// what has been committed. Sequences and instance numbers are dense and never used again.
public protocol Store: AnyObject {
    /// The id of this log, part of every cursor.
    var logID: LogID { get }

    /// The last committed journal step; 0 when the journal is empty.
    var head: JournalPosition { get }

    /// The oldest place of the journal that is there; `head + 1` when there is none. Steps from
    /// there on may have been erased: what is held of whom is in ``floors``.
    var first: JournalPosition { get }

    /// From where on the steps of each machine are held. Never comes before what was removed, and
    /// never goes back.
    var floors: JournalFloors { get }

    /// The highest instance number ever given; 0 when there was none.
    var lastInstanceNumber: InstanceNumber { get }

    /// What is held: suspended or set aside. All of it is in memory.
    var holds: [HoldSubject: Hold] { get }

    /// The committed snapshot of one instance, or `nil` when it is absent.
    func instance(named name: InstanceName) throws(StoreError) -> StoredInstance?

    /// Whether `number` belongs to an instance that was deleted and of which steps may be left that
    /// ``purge()`` will erase. Asked for every step that is read, so it costs little.
    func isDeleted(_ number: InstanceNumber) throws(StoreError) -> Bool

    /// Up to `limit` instances in the byte order of their names, all of whose full names
    /// (`machine/instance`) start with `prefix` and are greater than `after`. May end early after
    /// about `bytes` bytes of states, but holds at least one instance if there is one.
    func instances(
        prefix: String, after: String?, limit: Int, bytes: Int
    ) throws(StoreError) -> [StoredInstance]

    /// One journal step, or `nil` when it is past the head or no longer held.
    func record(at sequence: JournalPosition) throws(StoreError) -> JournalRecord?

    /// Up to `limit` journal steps that follow `sequence`, in order and without holes; erased
    /// ones are included as `.erased`. May end early after about `bytes` bytes, but holds at
    /// least one step if there is one.
    func records(
        after sequence: JournalPosition, limit: Int, bytes: Int
    ) throws(StoreError) -> [JournalRecord]

    /// What was committed under a dedup key of an instance, or `nil`.
    func dedup(_ number: InstanceNumber, key: [UInt8]) throws(StoreError) -> DedupEntry?

    /// The effects of one instance that have rows, in the order of their runs.
    func effects(of number: InstanceNumber) throws(StoreError) -> [StoredEffect]

    /// One effect's row, or `nil`.
    func effect(_ ref: EffectRef) throws(StoreError) -> StoredEffect?

    /// Up to `limit` effects that are due at `now` or were before, the earliest first, then by
    /// their ref.
    func effectsDue(at now: Timestamp, limit: Int) throws(StoreError) -> [EffectRef]

    /// When the next effect is due; `nil` when none ever is.
    func nextDue() throws(StoreError) -> Timestamp?

    /// Up to `limit` effects that wait for a handler, in the order of their refs, behind `after`.
    func effects(
        inLane lane: String, after: EffectRef?, limit: Int
    ) throws(StoreError) -> [EffectRef]

    /// The same as ``effects(of:)``, but that rows beside those of the instance may be damaged:
    /// whoever asks must know how many there are to be.
    func ownEffects(of number: InstanceNumber) throws(StoreError) -> [StoredEffect]

    /// The same as ``effectsDue(at:limit:)``, but that effects that can't be read are passed over
    /// and named, instead of being the end of the search. What it finds may be out of order.
    func soundEffectsDue(at now: Timestamp, limit: Int) throws(StoreError) -> SoundEffects

    /// The same as ``effects(inLane:after:limit:)``, but that effects that can't be read are passed
    /// over and named.
    func soundEffects(
        inLane lane: String, after: EffectRef?, limit: Int
    ) throws(StoreError) -> SoundEffects

    /// The same as ``lanes()`` where entries are damaged: there may be names that no effect waits
    /// for.
    func soundLanes() throws(StoreError) -> [String]

    /// The names of all handlers that effects wait for, in their order.
    func lanes() throws(StoreError) -> [String]

    /// A page of effects in the order of their refs, behind `after`.
    func effects(after: EffectRef?, limit: Int) throws(StoreError) -> [StoredEffect]

    /// Writes everything in one transaction and returns when it is durable.
    ///
    /// - Throws: `.full` when the disk is full, `.tooLarge` when something is larger than
    ///   ``Limits/storedRowBytesMax``, and *nothing* was written; anything else means the
    ///   outcome is unknown, and the process must end without another ack (reliability.md, P8).
    func commit(_ writes: WriteSet) throws(StoreError)

    /// Moves what commits have left in a log to its place, if that is due. Called when what a
    /// commit allows to tell is on its way; a store that doesn't leave it to this call does
    /// nothing here.
    ///
    /// - Throws: anything but `.full`, as ``commit(_:)``. A full disk postpones it.
    func checkpoint() throws(StoreError)

    /// Finds out whether there is room again after a commit that threw `.full`: writes something,
    /// durably, and leaves what is stored as it was.
    ///
    /// - Throws: `.full` when there is none; anything else as ``commit(_:)``.
    func probeDiskSpace() throws(StoreError)

    /// Does up to about a millisecond of postponed work (erasing what deleted instances left);
    /// answers whether more is left.
    func purge() throws(StoreError) -> Bool

    /// Removes the oldest journal steps that the bounds don't let stay, about a millisecond of
    /// work in a transaction of its own; answers whether more is left. The newest steps stay
    /// whatever the bounds say, and up to a page of steps may stay that could go.
    ///
    /// - Throws: `.full` when there is no room to do it: nothing was removed. `.corrupt` when the
    ///   oldest steps are damaged: they stay. `.inputOutput`.
    func truncate(to bounds: JournalBounds, at now: Timestamp) throws(StoreError) -> Bool

    /// Removes the oldest journal steps of machines that have bounds of their own, about a
    /// millisecond of work in a transaction of its own; answers whether more is left. Up to a page
    /// of a machine's steps may stay that could go. Places at the journal's old end go that hold
    /// no step any more; of other machines nothing is removed.
    ///
    /// Bytes are those of the encoded steps, before they are compressed. No bounds at all is
    /// right where there are none: then nothing is removed.
    ///
    /// - Throws: as ``truncate(to:at:)`` does.
    func truncateMachines(
        to bounds: [String: JournalBounds], at now: Timestamp
    ) throws(StoreError) -> Bool

    /// Looks at up to `limit` instances behind `number`, in the order of numbers, for those that
    /// are done and had their last step before `time`. May look at fewer of them, but at one if
    /// there is one.
    func finished(
        after number: InstanceNumber, before time: Timestamp, limit: Int
    ) throws(StoreError) -> FinishedPage

    /// Named counters and gauges for `stats`, in a fixed order.
    func statistics() -> [(name: String, value: Int64)]
}

extension Store {
    /// Nothing, where there is no log, or a commit moves it.
    public func checkpoint() throws(StoreError) {}

    /// The same without a bound of bytes: for tools and tests.
    public func instances(
        prefix: String, after: String?, limit: Int
    ) throws(StoreError) -> [StoredInstance] {
        try instances(prefix: prefix, after: after, limit: limit, bytes: .max)
    }
}

/// What a search has found among effects of which some are damaged.
public struct SoundEffects: Sendable, Equatable {
    /// Those that can be read.
    public var refs: [EffectRef] = []
    /// When the first of them is due, where they were searched by that.
    public var due: Timestamp?
    /// Those that can't: their rows, or their entries in an index, aren't as they were written.
    public var damaged: [EffectRef] = []

    /// None of either.
    public init() {}
}

/// Why a store could not do what it was asked.
public enum StoreError: Error, Sendable, Equatable {
    /// No room on the disk; nothing was written and reads go on.
    case full
    /// Only of a commit: something in it is larger than the store takes. Nothing was written, and
    /// everything goes on.
    case tooLarge(String)
    /// A read or write failed: what is on disk is unknown until the next start.
    case inputOutput(String)
    /// Stored bytes don't match their checksum, chain or format, at a place named by the text.
    case corrupt(String)
}
