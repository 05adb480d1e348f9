import GroveProtocol

@testable import GroveEngine
@testable import GroveServer
@testable import GroveStorage
@testable import OrderedJSON
@testable import Transducers

/// The rows about the engine and the store.
extension LimitRows {
    static let batches: [LimitRow] = [
        LimitRow(
            "items of a [`batch`](protocol.md#batch)", LimitRow.count(Limits.batchItemsMax),
            by: "the items of a batch are bounded"),
        LimitRow(
            "bytes of states, outputs and refused events in its results",
            "\(LimitRow.bytes(Limits.pageBytesMax)), and the item that exceeds it",
            by: "items after a mebibyte of answers are refused",
            "rejections that show a large state count as well"),
        LimitRow(
            "bytes of its steps and the states after them, and of the instances that refused an "
                + "item",
            "\(LimitRow.bytes(Limits.batchBytesMax)), and the item that exceeds it",
            by: "a batch doesn't exceed the bound of a commit",
            "items that a large instance refuses are bounded in a batch"),
        LimitRow(
            "work of its items, for statecharts: steps of expressions, actions, and a 32nd of the "
                + "visits of states",
            "\(LimitRow.count(Limits.batchWorkMax)), and the item that exceeds it",
            by: "what the items of a batch compute is bounded"),
        LimitRow(
            "bytes of events, states, stored effects and replies in a commit",
            "\(LimitRow.bytes(Limits.batchBytesMax)), and the request that exceeds it",
            by: "rows of effects count among a commit's bytes"),
        LimitRow(
            "requests for descriptions in a commit",
            LimitRow.count(Limits.descriptionsPerBatch), by: "a batch has few descriptions"),
        LimitRow(
            "instances that a commit changes",
            "\(LimitRow.count(Limits.batchInstancesMax)), and those of the request that exceeds it",
            by: "the number of instances that a commit changes is bounded"),
        LimitRow(
            "rows of effects that a commit changes",
            LimitRow.count(Limits.batchEffectRowsMax)
                + ", and those of the request that exceeds it",
            by: "the number of effects' rows that a commit changes is bounded"),
        LimitRow(
            "comparisons of a commit's steps with subscriptions' selections that don't match",
            LimitRow.count(Limits.batchPublishingWorkMax),
            by: "a commit has fewer steps the more selections they are compared with",
            "a commit has fewer steps the more records they make"),
        LimitRow(
            "the same, for one request",
            LimitRow.count(Limits.publishingWorkMax),
            by: "records past a commit's bound come from the journal",
            "a large record goes to some at once and to the others in turns"),
    ]

    static let descriptions: [LimitRow] = [
        LimitRow(
            "states, and events, in a reply to [`describe`](protocol.md#describe)",
            "\(MachineDescription.statesMax) each",
            by: "the description stays within its bounds",
            "endlessly many states are tried up to a bound, by their JSON"),
        LimitRow(
            "examples of events in a reply to `describe`",
            LimitRow.bytes(MachineDescription.exampleBytesMax),
            by: "examples of events are bounded in bytes"),
        LimitRow(
            "transitions in the reply", LimitRow.count(MachineDescription.transitionsMax),
            by: "the description stays within its bounds"),
        LimitRow(
            "events tried on copies of states", LimitRow.count(MachineDescription.triesMax),
            by: "no more than 2,048 events are tried, and states found later have no arrows"),
        LimitRow(
            "journal steps read, of all machines",
            "the newest \(LimitRow.count(Limits.describedStepsMax)), "
                + "or about \(LimitRow.bytes(Limits.describedBytesMax))",
            by: "describe finds the state before its oldest step",
            "describe reads about a mebibyte of the newest steps"),
        LimitRow(
            "instances whose state before those steps is read",
            LimitRow.count(Limits.describedLookupsMax),
            by: "describe looks up the state before for a bounded number of instances"),
        LimitRow(
            "values of an event in the reply", LimitRow.count(JSONLimits.probedMembersMax),
            by: "of a case with more than sixty-four values the first are listed"),
        LimitRow(
            "types that a value is passed on to until its form is known",
            LimitRow.count(JSONLimits.probeDepthMax),
            by: "nested types are examined eight deep"),
    ]

    static let starts: [LimitRow] = [
        LimitRow(
            "instances of a machine whose states are checked at the start",
            "the first \(LimitRow.count(Limits.inspectedInstancesMax)), "
                + "or about \(LimitRow.bytes(Limits.inspectedBytesMax)) of states",
            by: "a start finds unreadable states, and reads a bounded number",
            "a start reads about a mebibyte of states per machine, in turns"),
        LimitRow(
            "journal steps that are read after a crash, to copy them into rows",
            "\(LimitRow.count(redo.steps)), or \(LimitRow.bytes(Int(redo.bytes))), and "
                + "\(LimitRow.count(StoreLimits.redoPointSteps)), "
                + "or \(LimitRow.bytes(Int(StoreLimits.redoPointBytes))), more",
            by: "the steps to redo and the rows in memory stay within their bounds"),
        LimitRow(
            "states checked between two commits",
            "\(Limits.inspectedInstancesPerTurn), "
                + "or about \(LimitRow.bytes(Limits.rowBytesPerRead))",
            by: "a start reads about a mebibyte of states per machine, in turns"),
    ]

    static let others =
        waiting + retention + reading + backups + subscriptions + configuration

    private static let redo = SQLiteStoreOptions().redoBounds

    private static let configuration: [LimitRow] = [
        LimitRow(
            "bytes of the configuration file", LimitRow.bytes(ConfigurationFile.bytesMax),
            by: "a file has at most a mebibyte"),
        LimitRow(
            "bytes of a text in a line of the log", LimitRow.bytes(LogText.bytesMax),
            by: "long values are shortened"),
    ]

    private static let waiting: [LimitRow] = [
        LimitRow(
            "requests that wait for effects or states", LimitRow.count(Limits.waitersMax),
            by: "the number of requests that wait for states is bounded"),
        LimitRow(
            "time of one wait",
            Limits.waitMillisecondsMax == 3_600_000 ? "an hour" : "",
            by: "await has a condition and a time",
            "await times out, and refuses unknown states"),
        LimitRow(
            "outcomes in one `settled`", LimitRow.count(Limits.effectsPerStepMax),
            by: "a reply with settle lists at most a thousand outcomes"),
        LimitRow(
            "replies to waiting requests in one turn",
            "\(Limits.waitersAnsweredMax), or about \(LimitRow.bytes(Limits.pageBytesMax))",
            by: "many requests that wait for one event", "many waits that time out at one moment"),
        LimitRow(
            "instances and machines that are suspended or set aside",
            LimitRow.count(Limits.holdsMax), by: "the number of holds is bounded"),
        LimitRow(
            "definitions of machines as data, all versions",
            "\(LimitRow.count(Limits.definitionsMax)), and "
                + "\(LimitRow.bytes(Limits.definitionBytesTotalMax)) of text",
            by: "the number of definitions is bounded", "the bytes of definitions are bounded"),
    ]

    private static let retention: [LimitRow] = [
        LimitRow(
            "steps in the journal", "none", key: ("keep-steps", 0),
            by: "keeps the newest steps, and at most a block more",
            "without any value the defaults hold"),
        LimitRow(
            "age of a step in the journal", "none", key: ("keep-age-s", 0),
            by: "steps are kept for their time, by the newest of a block"),
        LimitRow(
            "bytes of the steps in the journal", "none", key: ("keep-bytes", 0),
            by: "the newest bytes are kept"),
        LimitRow(
            "age, steps and bytes in the journal for one machine, `keep-machines`", "none",
            by: "a machine keeps its newest steps, and the others keep all",
            "keeps steps of a machine for their time", "a machine keeps its newest bytes"),
        LimitRow(
            "machines with separate bounds", LimitRow.count(MachineBounds.machinesMax),
            by: "the number of machines with bounds is bounded"),
        LimitRow(
            "age of an instance after it is done", "none", key: ("keep-done-s", 0),
            by: "deletes expired instances as by request"),
        LimitRow(
            "age of an entry of the audit, but for the newest one",
            "\(Housekeeping.auditAgeMax / 86_400_000) days",
            by: "entries of the audit are kept for 400 days, and searched once a day"),
    ]

    private static let reading: [LimitRow] = [
        LimitRow(
            "items of a page of `list`, `history` or `effects`",
            LimitRow.count(Limits.pageItemsMax), by: "a page has 1 to 1,000 items"),
        LimitRow(
            "bytes of a page of `list`, `history` or `effects`",
            "about \(LimitRow.bytes(Limits.pageBytesMax))",
            by: "a page of large states ends early, and continues after it",
            "a page with large states ends early, and the next one continues",
            "pages of effects end after about a mebibyte or their rows, with next"),
        LimitRow(
            "bytes of a page of `accounts` or `audit`",
            "about \(LimitRow.bytes(Limits.accountsPageBytesMax))",
            by: "pages of accounts and of the audit end early, and the next one continues"),
        LimitRow(
            "instances read for one `list`, and effects for one `effects` of all instances",
            "about \(LimitRow.count(Limits.listRowsScannedMax))",
            by: "a search without matches is bounded and gives its position",
            "pages of effects end after about a mebibyte or their rows, with next"),
        LimitRow(
            "parts of a page that are read between two commits",
            "\(Limits.pageInstancesPerTurn) instances, \(Limits.pageEffectsPerTurn) effects, "
                + "\(Limits.pageStepsPerTurn) steps, "
                + "or about \(LimitRow.bytes(Limits.pageBytesPerTurn))",
            by: "commits run between the turns of a long page", "large states end a turn early",
            "a turn reads few effects if they are large"),
        LimitRow(
            "timers and effects in a reply to `get` or `await`",
            "\(Limits.effectsShownMax), or about \(LimitRow.bytes(Limits.pageBytesMax))",
            by: "get shows the oldest hundred effects, up to about a mebibyte"),
    ]

    private static let backups: [LimitRow] = [
        LimitRow(
            "backups at the same time, in total", "1",
            by: "there is one copy at a time, for its connection only"),
        LimitRow(
            "pages copied in one turn between two commits",
            "\(StoreLimits.backupPagesPerTurn), "
                + LimitRow.bytes(
                    Int(StoreLimits.backupPagesPerTurn) * SQLiteStoreOptions.pageBytes),
            by: "the copy has everything committed before its last turn"),
        LimitRow(
            "bytes of one piece of a backup",
            "\(LimitRow.bytes(Limits.backupChunkBytesMax)), in about 350 KB of base64",
            by: "the bytes of a chunk are bounded", "the members of a backup select its step"),
        LimitRow(
            "time for which a copy is kept without a request about it",
            LimitRow.seconds(Limits.backupIdleMillisecondsMax),
            by: "a copy without requests is removed after a minute"),
        LimitRow(
            "size of a copy on the server's disk", "as much as the data file",
            by: "a disk that is too small for the copy ends the backup only"),
        LimitRow(
            "version of an imported instance", Limits.importedVersionMax == 1 << 52 ? "2⁵²" : "",
            by: "a version to import leaves room for as many again"),
        LimitRow(
            "bytes of an imported state",
            "\(LimitRow.bytes(Limits.stateBytesMax)), as after a step",
            by: "an imported state has at most a mebibyte, like every state"),
    ]

    private static let subscriptions: [LimitRow] = [
        LimitRow(
            "subscriptions of a connection",
            LimitRow.count(Limits.subscriptionsPerConnectionMax),
            by: "the server bounds its subscriptions"),
        LimitRow(
            "subscriptions in total", LimitRow.count(Limits.subscriptionsMax),
            by: "the server bounds its subscriptions"),
        LimitRow(
            "steps read for subscriptions that catch up, and instances for snapshots, "
                + "between two commits",
            "\(Limits.catchUpStepsPerTurn), "
                + "\(LimitRow.count(Limits.catchUpDeliveriesPerTurn)) records sent, "
                + "or about \(LimitRow.bytes(Limits.catchUpBytesPerTurn)), in total",
            by: "catching up reads a bounded number of steps between two commits",
            "a turn of a snapshot has a bound of bytes",
            "states before steps count, and all subscriptions together",
            "a record is written once for all that read it together"),
        LimitRow(
            "steps before the end at which a subscription may begin, with `last`",
            LimitRow.count(Limits.lastStepsMax),
            by: "the server answers byte by byte as written"),
        LimitRow(
            "skipped records before a checkpoint",
            LimitRow.count(Limits.checkpointRecordsMax),
            by: "a rare filter gets checkpoints by time and by count"),
        LimitRow(
            // It is checked once a second, so the limit is ten seconds including a turn's duration.
            "time with skipped records before a checkpoint",
            LimitRow.seconds(Limits.checkpointMilliseconds + 2_000),
            by: "a rare filter gets checkpoints by time and by count"),
    ]
}
