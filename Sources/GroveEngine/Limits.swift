/// Every bound of the engine, with its reason. Bounds of the wire stand in GroveProtocol.
public enum Limits {
    /// Bytes of an instance's name without its machine (protocol.md, "Names").
    public static let instanceNameBytesMax = 200

    /// Bytes of the family in a child's name, so that the name has room for `~` and any number.
    public static let familyBytesMax = instanceNameBytesMax - 20

    /// Names tried for a child if instances of the first ones exist.
    static let childNameTriesMax = 64

    /// Bytes of a machine's name (protocol.md, "Names").
    public static let machineNameBytesMax = 64

    /// Bytes of a dedup key: a UUID, a hash or a path fits; an index of them stays small.
    public static let dedupKeyBytesMax = 200

    /// Bytes of a subscription's name: it is written before each of its records.
    public static let subscriptionNameBytesMax = 200

    /// Bytes of the pattern of output types in a selection: every output is held against it.
    public static let outputTypePatternBytesMax = 200

    /// Bytes of the name of a state that an `await` waits for.
    public static let stateNameBytesMax = 200

    /// Bytes of the reason of a `stop` or `suspend`, which is stored and sent to subscribers.
    public static let stopReasonBytesMax = 1_024

    /// Events one external event may cause within its step, itself included.
    public static let immediateEventsMax = 1_000

    /// States and outputs whose JSON is remembered, of all machines: more than most have. They take
    /// 48 KiB, and 0.3 MiB with the longest texts.
    static let rememberedTextsMax = 1_024

    /// Outputs of one step, so that one event can't flood every subscriber.
    public static let outputsPerStepMax = 64

    /// Effects that one step asks for, parts of sequences and cancellations included.
    public static let effectsPerStepMax = 1_000

    /// Stored effects of one instance; a step that would exceed it is refused.
    public static let effectsPerInstanceMax = 10_000

    /// The estimated bytes of these; a step that would exceed it is refused. They are read at once
    /// with the instance's first event.
    public static let effectBytesPerInstanceMax = 16 << 20

    /// Milliseconds between attempts to commit due effects on a full disk.
    static let fullDiskPauseMilliseconds: Int64 = 1_000

    /// Milliseconds after which an effect that is due is looked at again whose machine isn't
    /// hosted.
    static let postponementMilliseconds: Int64 = 60_000

    /// The pause before an event is sent again to a child that hasn't started, because it is held.
    static let childWaitMilliseconds: Int64 = 1_000

    /// Closures of effects in a server's memory.
    public static let closuresMax = 100_000

    /// Effects that are settled in one batch, so that a storm of timers doesn't keep replies
    /// waiting: a millisecond or two of work.
    public static let effectsPerBatchMax = 128

    /// Shares that have their own queues at once, of all handlers together. The effects of further
    /// shares wait in the handler's own queue.
    package static let handlerSharesMax = 4_096

    /// Bytes of a share's name. An effect with a longer one has no share.
    package static let handlerShareBytesMax = 256

    /// Attempts of an undoing effect: with growing pauses, days of them.
    package static let undoingAttemptsMax = 50

    /// Bytes of the reason that is kept of a failed effect.
    public static let effectReasonBytesMax = 1_024

    /// Effects that `get` shows.
    public static let effectsShownMax = 100

    /// Bytes of a backup that one reply carries: as base64 they fit into a line.
    public static let backupChunkBytesMax = 256 << 10

    /// Milliseconds without a request after which a backup is removed: it uses as much disk as the
    /// data.
    public static let backupIdleMillisecondsMax: Int64 = 60_000

    /// Milliseconds that `await`, and `send` with `settle`, wait at most: an hour.
    public static let waitMillisecondsMax: Int64 = 3_600_000

    /// Requests that wait for effects or states at once.
    public static let waitersMax = 65_536

    /// Replies to waiting requests in one turn, so that thousands that wait for one event, or time
    /// out together, don't delay others.
    static let waitersAnsweredMax = 512

    /// Parts of a sequence that stand in one row; more are put into sequences within it.
    static let sequencePartsPerRow = 32

    /// Failures that an instance keeps to be looked at; older ones make room.
    static let keptFailuresMax = 100

    /// The estimated bytes of these: a part of the bound on an instance's effects, so that failures
    /// leave room for live ones. The newest is kept at any size.
    static let keptFailureBytesMax = 4 << 20

    /// Instances and machines suspended or set aside at the same time, which are all in memory. To
    /// hold more, suspend their machine, which counts once.
    public static let holdsMax = 4_096

    /// Definitions of machines as data in one data file, all versions. They are in memory.
    public static let definitionsMax = 1_024

    /// Bytes of the texts of these definitions.
    public static let definitionBytesTotalMax = 16 << 20

    /// Items of one `batch`. They are applied in one go, and a thousand take a few milliseconds.
    public static let batchItemsMax = 1_000

    /// Newest journal steps that `describe` reads, of all machines: a few milliseconds.
    public static let describedStepsMax = 1_024

    /// Bytes of these steps: for machines with large states, fewer steps are enough.
    static let describedBytesMax = 1 << 20

    /// Instances whose earlier states `describe` reads in addition.
    static let describedLookupsMax = 64

    public static let outputBytesPerStepMax = 1 << 20

    /// Bytes of one state as JSON.
    public static let stateBytesMax = 1 << 20

    /// Bytes of an event, its outputs and the state after it, as JSON. With its effect records and
    /// the state before, a step stays below ``storedRowBytesMax``.
    public static let stepBytesMax = 8 << 20

    /// Bytes of one stored step, snapshot or effect, before compression: the store's limit.
    public static let storedRowBytesMax = 16 << 20

    /// Bytes of one commit with its waiting replies; more goes into the next one.
    static let batchBytesMax = 16 << 20

    /// Instances that one commit changes; more go into the next one, because each may cost the disk
    /// separate pages.
    static let batchInstancesMax = 4_096

    /// Rows of effects that one commit changes; more requests go into the next one.
    static let batchEffectRowsMax = 4_096

    /// The work of the items of one `batch`, in the units of `StepBuffer.work`: some tenths of a
    /// second.
    static let batchWorkMax = 200_000

    /// Events that a child's end waits for, and that are delivered in one turn of the end: each may
    /// cost its machine some milliseconds. The next turn has the others.
    static let lastEventsPerTurn = 16

    /// Work of publishing one commit; more goes into the next one. The unit is the comparison of a
    /// step with one selection, some hundred nanoseconds.
    static let batchPublishingWorkMax = 65_536

    /// The same for one request; the other subscriptions read its records from the journal, in
    /// turns.
    static let publishingWorkMax = 2 * batchPublishingWorkMax

    /// The units of a record sent to one subscription, without its bytes.
    static let workOfOneRecord = 4

    /// Bytes of a record that are as much work as the unit.
    static let bytesOfOneWork = 256

    /// Bytes of memory for journal and snapshots kept between commits; what a larger commit needed
    /// is freed.
    static let keptWriteBytesMax = 16 << 20

    /// Effects that a commit changes, starts or ends, for which memory is kept, too.
    static let keptEffectWritesMax = 4_096

    /// Changed effects of one instance that are looked through, before there is a set of them:
    /// nearly all steps change one.
    static let unindexedChangesMax = 8

    /// The version with which an instance may be imported: as many again can follow before JSON's
    /// integers are no longer exact.
    public static let importedVersionMax: Int64 = 1 << 52

    /// Steps that `describe` reads in one go.
    static let describedStepsPerRead = 32

    /// Pages per batch whose first turn is read with their request. The others wait for their
    /// turn, like pages that need more than one.
    static let pageTurnsPerBatch = 8

    /// Items of one page of `list` or `history` (limits.md, "Reading").
    public static let pageItemsMax = 1_000

    /// Steps before the end at which a subscription may begin: enough for the tail of a log, and
    /// who wants more has a cursor.
    public static let lastStepsMax: Int64 = 10_000

    /// Descriptions of machines as data that are being made at the same time. Each takes up to some
    /// tens of milliseconds, and keeps the state of an instance.
    package static let descriptionsMax = 16

    /// Descriptions of one connection among them; its next requests wait until one is made.
    package static let descriptionsPerConnectionMax = 4

    /// Requests for descriptions per batch. The engine's thread makes those of Swift machines,
    /// whose code may end the process: a few milliseconds each.
    static let descriptionsPerBatch = 4

    /// Pages being read at the same time. The start of each reads an instance, which may have a
    /// megabyte, so more would delay other requests.
    package static let pagesMax = 16

    /// Pages of one connection among them; its next requests wait until one is answered.
    package static let pagesPerConnectionMax = 4

    /// Bytes of states and outputs of a reply that doesn't count for its connection's window.
    package static let smallReplyBytesMax = 1_024

    /// Bytes of one page of `list` or `history`; a larger page ends early with `next`, so that a
    /// thousand large states can't become one line of a gigabyte.
    public static let pageBytesMax = 1 << 20

    /// Bytes of one page of `accounts` or `audit`, which is read as a whole between two commits: a
    /// millisecond or two.
    public static let accountsPageBytesMax = 128 << 10

    /// Instances that one `list` reads before it replies with `next`, so that a filter without
    /// matches can't block the engine queue.
    public static let listRowsScannedMax = 2_000

    /// Instances that one turn of retention reads: a millisecond of reading, and as much of
    /// deleting if all are done.
    static let expiryRowsPerTurn = 32

    /// Journal steps read in one go for catch-up: some tenths of a millisecond of work
    /// (architecture.md).
    public static let catchUpStepsPerTurn = 128

    /// Records sent in that turn: those of a step go to several subscriptions that read the same.
    public static let catchUpDeliveriesPerTurn = 2_048

    /// Subscriptions that read the journal together: each gets 32 records per turn, so that a
    /// system call is worth it.
    static let catchUpGroupMax = 64

    /// Bytes of them, and of the states that are read with them: some milliseconds.
    public static let catchUpBytesPerTurn = 1 << 20

    /// Bytes of instances in one read of a page: a compressed state takes some milliseconds per
    /// megabyte.
    static let rowBytesPerRead = 256 << 10

    /// Steps that one read of the journal counts as at least.
    static let rowsOfOneRead = 8

    /// Subscriptions that are looked at for checkpoints in one turn: they may all be due.
    static let checkpointsPerTurn = 1_024

    /// Records a subscription may skip before the client gets a cursor (protocol.md, "subscribe").
    public static let checkpointRecordsMax = 10_000

    /// Time after which a subscription that passed over records is due for a checkpoint. The
    /// promise is ten seconds (protocol.md, "subscribe"), and they are looked at about once a
    /// second.
    public static let checkpointMilliseconds: Int64 = 8_000

    /// Subscriptions of one connection (limits.md, "Subscriptions").
    public static let subscriptionsPerConnectionMax = 256

    public static let subscriptionsMax = 65_536

    /// Instances kept in memory; above this, the least recently used idle ones are dropped. A small
    /// one takes about 500 bytes, and an event to one that isn't in memory costs several times as
    /// much as another.
    public static let residentInstancesDefault = 1_048_576

    /// Bytes of the states and the effects of instances that are kept in memory.
    public static let residentBytesDefault = 128 << 20

    /// Events that wait for the present commit before `OVERLOADED`.
    public static let commitQueueRequestsDefault = 65_536

    /// Instances, effects and steps that one turn reads for a page: about a millisecond. Each step
    /// may be in a separate block.
    package static let pageInstancesPerTurn = 256
    package static let pageEffectsPerTurn = 128
    package static let pageStepsPerTurn = 64

    /// Bytes of these.
    package static let pageBytesPerTurn = 256 << 10

    /// Newest steps of an instance searched for the reason of its stop, usually the first one.
    static let stopSearchStepsMax = 16

    /// Bytes of an effect's row, and of its instance's state, up to which the journal has the row,
    /// so that a store may write it later. As the store's bound for snapshots.
    static let journaledEffectBytesMax = 4 << 10

    /// Changed rows of effects that one step journals; those of a step with more are written with
    /// its commit.
    static let journaledEffectsMax = 64

    /// Steps searched one by one for the newest change of an instance's effects.
    static let effectStepsSearchedMax = 64

    /// Instances of each machine, and bytes of their states, that a start checks.
    public static let inspectedInstancesMax = 256
    public static let inspectedBytesMax = 1 << 20

    /// Instances that one turn of this check reads.
    package static let inspectedInstancesPerTurn = 16

    /// Values in a chunk of a ``SortedList``.
    static let sortedChunkMax = 512

    /// Letters that ``EditDistance`` compares.
    package static let comparedLettersMax = 128

    /// Bytes of the longest word for which a suggestion is searched: it may come from a client.
    static let suggestionBytesMax = 200
}
