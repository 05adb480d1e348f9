import GroveProtocol

@testable import GroveEngine
@testable import GroveServer
@testable import GroveStorage
@testable import OrderedJSON
@testable import Transducers

/// The rows about what the engine and the store do.
extension LimitRows {
    static let batches: [LimitRow] = [
        LimitRow(
            "items of a [`batch`](protocol.md#batch)", LimitRow.count(Limits.batchItemsMax),
            by: "a batch has so many items and no more"),
        LimitRow(
            "bytes of states, outputs and refused events in its results",
            "\(LimitRow.bytes(Limits.pageBytesMax)), and the item that passes it",
            by: "items behind a mebibyte of answers are refused",
            "rejections that show a large state count as well"),
        LimitRow(
            "bytes of its steps and the states after them",
            "\(LimitRow.bytes(Limits.batchBytesMax)), and the item that passes it",
            by: "a batch makes no commit larger than a commit may be"),
        LimitRow(
            "bytes of events, states, stored effects and replies in a commit",
            "\(LimitRow.bytes(Limits.batchBytesMax)), and the request that passes it",
            by: "rows of effects count among a commit's bytes"),
        LimitRow(
            "instances that a commit changes",
            "\(LimitRow.count(Limits.batchInstancesMax)), and those of the request that passes it",
            by: "a commit changes so many instances and no more"),
        LimitRow(
            "comparisons of a commit's steps with subscriptions' selections that don't match",
            LimitRow.count(Limits.batchPublishingWorkMax),
            by: "a commit takes fewer steps the more selections they are held against",
            "and fewer still where many records come of it"),
        LimitRow(
            "the same, for one request",
            LimitRow.count(Limits.publishingWorkMax),
            by: "what is too much for one commit comes from the journal, and nobody misses any",
            "a large record goes to some at once and to the others in turns"),
    ]

    static let descriptions: [LimitRow] = [
        LimitRow(
            "states, and events, in a reply to [`describe`](protocol.md#describe)",
            "\(MachineDescription.statesMax) each",
            by: "it stays as large as a drawing may be",
            "endlessly many states are tried up to a bound, by their JSON"),
        LimitRow(
            "transitions in the reply", LimitRow.count(MachineDescription.transitionsMax),
            by: "it stays as large as a drawing may be"),
        LimitRow(
            "events tried on copies of states", LimitRow.count(MachineDescription.triesMax),
            by: "no more than 2,048 events are tried, and states found later have no arrows"),
        LimitRow(
            "journal steps read, of all machines",
            "the newest \(LimitRow.count(Limits.describedStepsMax)), "
                + "and about \(LimitRow.bytes(Limits.describedBytesMax))",
            by: "looks up where a step began that is older than what it reads",
            "looks at about a mebibyte of the newest steps"),
        LimitRow(
            "instances whose state before those steps is read",
            LimitRow.count(Limits.describedLookupsMax),
            by: "looks up what was before of so many instances"),
        LimitRow(
            "values of an event in the reply", LimitRow.count(JSONLimits.probedMembersMax),
            by: "of a case with more than sixty-four values the first ones are told"),
        LimitRow(
            "types that a value is passed on to until its form is known",
            LimitRow.count(JSONLimits.probeDepthMax),
            by: "types that are handed on to others are looked into eight deep"),
    ]

    static let starts: [LimitRow] = [
        LimitRow(
            "instances of a machine whose states are checked at the start",
            "the first \(LimitRow.count(StateInspection.instancesMax)), "
                + "or about \(LimitRow.bytes(StateInspection.bytesMax)) of states",
            by: "a start finds what can't be read, and looks at a bounded number",
            "a start looks at about a mebibyte of a machine's states, few at a time"),
        LimitRow(
            "states checked between two commits",
            "\(StateInspection.instancesPerTurn), "
                + "or about \(LimitRow.bytes(Limits.rowBytesPerRead))",
            by: "a start looks at about a mebibyte of a machine's states, few at a time"),
    ]

    static let others =
        waiting + retention + reading + backups + subscriptions + configuration

    private static let configuration: [LimitRow] = [
        LimitRow(
            "bytes of the configuration file", LimitRow.bytes(ConfigurationFile.bytesMax),
            by: "a file has a mebibyte and no more"),
        LimitRow(
            "bytes of a text in a line of the log", LimitRow.bytes(LogText.bytesMax),
            by: "what is long is cut"),
    ]

    private static let waiting: [LimitRow] = [
        LimitRow(
            "requests that wait for effects or states", LimitRow.count(Limits.waitersMax),
            by: "only so many requests wait for states, and one more is told so"),
        LimitRow(
            "time of one wait",
            Limits.waitMillisecondsMax == 3_600_000 ? "an hour" : "",
            by: "await has a condition and a time",
            "await gives up in time, and knows what can't be waited for"),
        LimitRow(
            "outcomes in one `settled`", LimitRow.count(Limits.effectsPerStepMax),
            by: "a thousand outcomes are told of what has settled, and later ones left out"),
        LimitRow(
            "replies to waiting requests in one turn",
            "\(Limits.waitersAnsweredMax), or about \(LimitRow.bytes(Limits.pageBytesMax))",
            by: "many who wait for one event", "many who give up at one moment"),
        LimitRow(
            "instances and machines that are suspended or set aside",
            LimitRow.count(Limits.holdsMax), by: "only so many are held at once"),
    ]

    private static let retention: [LimitRow] = [
        LimitRow(
            "steps in the journal", "none", key: ("keep-steps", 0),
            by: "keeps the newest steps, and at most a block more", "nothing said is the defaults"),
        LimitRow(
            "age of a step in the journal", "none", key: ("keep-age-s", 0),
            by: "keeps steps for their time, counted from the newest of a block"),
        LimitRow(
            "bytes of the steps in the journal", "none", key: ("keep-bytes", 0),
            by: "keeps so many bytes"),
        LimitRow(
            "age, steps and bytes in the journal for one machine, `keep-machines`", "none",
            by: "keeps the newest steps of a machine, and all of the others",
            "keeps steps of a machine for their time", "keeps so many bytes of a machine"),
        LimitRow(
            "machines with separate bounds", LimitRow.count(MachineBounds.machinesMax),
            by: "so many machines may have bounds, and no more"),
        LimitRow(
            "age of an instance after it is done", "none", key: ("keep-done-s", 0),
            by: "deletes what has been done for long, as if it was asked for"),
    ]

    private static let reading: [LimitRow] = [
        LimitRow(
            "items of a page of `list`, `history` or `effects`",
            LimitRow.count(Limits.pageItemsMax), by: "a page has 1 to 1,000 items"),
        LimitRow(
            "bytes of a page of `list`, `history` or `effects`",
            "about \(LimitRow.bytes(Limits.pageBytesMax))",
            by: "a page of large states ends early and goes on after it",
            "a page of instances with large states ends early and goes on after it",
            "pages of effects end after about a mebibyte or so many rows, with next"),
        LimitRow(
            "instances read for one `list`, and effects for one `effects` of all instances",
            "about \(LimitRow.count(Limits.listRowsScannedMax))",
            by: "a search that fits nothing looks at so many and says where it came to",
            "pages of effects end after about a mebibyte or so many rows, with next"),
        LimitRow(
            "read for a page between two commits",
            "\(ListRead.rowsPerTurn) instances, \(EffectsRead.rowsPerTurn) effects, "
                + "\(HistoryRead.stepsPerTurn) steps, "
                + "or about \(LimitRow.bytes(HistoryRead.bytesPerTurn))",
            by: "a long page lets commits pass", "large states make a turn short",
            "a turn reads few effects where they are large"),
        LimitRow(
            "timers and effects in a reply to `get` or `await`",
            "\(Limits.effectsShownMax), or about \(LimitRow.bytes(Limits.pageBytesMax))",
            by: "get shows the oldest hundred effects, or about a mebibyte of them"),
    ]

    private static let backups: [LimitRow] = [
        LimitRow(
            "backups at the same time, in total", "1", by: "one at a time, and nobody else's"),
        LimitRow(
            "pages copied in one turn between two commits",
            "\(StoreLimits.backupPagesPerTurn), "
                + LimitRow.bytes(
                    Int(StoreLimits.backupPagesPerTurn) * SQLiteStoreOptions.pageBytes),
            by: "the copy holds what was committed before its last turn, "
                + "whatever happened meanwhile"),
        LimitRow(
            "bytes of one piece of a backup",
            "\(LimitRow.bytes(Limits.backupChunkBytesMax)), in about 350 KB of base64",
            by: "a chunk has at most so many bytes", "the members of a backup say what is asked"),
        LimitRow(
            "time for which a copy is kept without a request about it",
            LimitRow.seconds(Limits.backupIdleMillisecondsMax),
            by: "one that nobody asks about is removed after a minute"),
        LimitRow(
            "size of a copy on the server's disk", "as much as the data file",
            by: "a disk that is too small for the copy ends the backup only"),
        LimitRow(
            "version of an imported instance", Limits.importedVersionMax == 1 << 52 ? "2⁵²" : "",
            by: "a version to import leaves as many again"),
        LimitRow(
            "bytes of an imported state", "as of a step, \(LimitRow.bytes(Limits.stateBytesMax))",
            by: "an imported state has a mebibyte, as every state has"),
    ]

    private static let subscriptions: [LimitRow] = [
        LimitRow(
            "subscriptions of a connection",
            LimitRow.count(Limits.subscriptionsPerConnectionMax),
            by: "the server has a bound of its own on subscriptions"),
        LimitRow(
            "subscriptions in total", LimitRow.count(Limits.subscriptionsMax),
            by: "the server has a bound of its own on subscriptions"),
        LimitRow(
            "steps read for subscriptions that catch up, and instances for snapshots, "
                + "between two commits",
            "\(Limits.catchUpStepsPerTurn), "
                + "or about \(LimitRow.bytes(Limits.catchUpBytesPerTurn)), in total",
            by: "who catches up reads so many steps between two commits",
            "a turn of a snapshot has a bound of bytes",
            "states before steps count, and all subscriptions together"),
        LimitRow(
            "skipped records before a checkpoint",
            LimitRow.count(Limits.checkpointRecordsMax),
            by: "a rare filter is told its cursor by time and by count"),
        LimitRow(
            // Looked at once a second, so that it is ten with what a turn may take.
            "time with skipped records before a checkpoint",
            LimitRow.seconds(Limits.checkpointMilliseconds + 2_000),
            by: "a rare filter is told its cursor by time and by count"),
    ]
}
