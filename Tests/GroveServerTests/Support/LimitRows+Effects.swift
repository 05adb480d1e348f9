import OrderedJSON

@testable import GroveEffects
@testable import GroveEngine
@testable import GroveServer
@testable import Transducers

/// The rows about effects and the handler `http`.
extension LimitRows {
    static let effects = engine + handlers + http

    private static let engine: [LimitRow] = [
        LimitRow(
            "effects of one step; parts of sequences and cancellations count",
            LimitRow.count(Limits.effectsPerStepMax),
            by: "a step asks for a thousand effects and no more"),
        LimitRow(
            "stored effects of an instance, with those of the new step; sequences, failed "
                + "ones, and completed ones that can be undone count",
            LimitRow.count(Limits.effectsPerInstanceMax),
            by: "an instance has ten thousand effects and no more, and can still cancel some",
            "effects that failed or can be undone count until they are gone"),
        LimitRow(
            "bytes of these effects, about", LimitRow.bytes(Limits.effectBytesPerInstanceMax),
            by: "an instance's effects have so many bytes together and no more"),
        LimitRow(
            "bytes of an effect's id with its scopes, as JSON",
            LimitRow.count(HostedKey.bytesMax),
            by: "an id has two hundred bytes and no more",
            "an effect's id has two hundred bytes and no more"),
        LimitRow(
            "bytes of the name of an effect's target: an instance, a machine, a handler",
            LimitRow.count(HostedRun.targetBytesMax),
            by: "names of what it is for are as long as names can be"),
        LimitRow(
            "nesting of an effect's event or argument, as JSON",
            LimitRow.count(JSONLimits.standard.depthMax),
            by: "values, and effects in effects, have a depth"),
        LimitRow(
            "sequences and groups around an effect", LimitRow.count(HostedEffect.nestingMax),
            by: "values, and effects in effects, have a depth"),
        LimitRow(
            "attempts, milliseconds and queue lengths that a machine may set", "2⁵³ − 1",
            by: "bounds without end are stored as the largest there are",
            "numbers of retry policies and queues are within what JSON can say"),
        LimitRow(
            "names tried for a child if instances of the first ones exist",
            LimitRow.count(Limits.childNameTriesMax),
            by: "names that somebody has taken are passed over, however many"),
        LimitRow(
            "closures of effects that run or wait, in total",
            LimitRow.count(EngineOptions().closuresMax),
            by: "a server has so many closures and no more, and room again when one ends"),
        LimitRow(
            "events that wait in a closure's inbox", LimitRow.count(HostedClosure.inboxMax),
            by: "a closure's inbox takes so many events ahead of their commit"),
        LimitRow(
            "effects that wait in one queue", LimitRow.count(EffectLedger<Void>.waitingMax),
            by: "a queue that is full tells the machine, and the others go on"),
    ]

    private static let handlers: [LimitRow] = [
        LimitRow(
            "calls of one handler at the same time",
            "\(EffectHandler.concurrencyDefault), or the number that it was registered with",
            by: "a handler has as many runs at once as it has unless told, others wait",
            "no more tries are under way than the handler allows, and all get their turn"),
        LimitRow(
            "time of one attempt of a handler; closures have no bound",
            "\(LimitRow.seconds(EffectHandler.timeoutDefault)), or the time that the handler or "
                + "the effect sets",
            by: "a try that takes too long fails at once, though its handler goes on",
            "a closure is run instead of a handler, without a time limit of its own"),
        LimitRow(
            "calls of one handler that continue after their time because they ignore "
                + "cancellation",
            "\(LimitRow.count(EffectRunner.overdueFactorMax)) times as many as at once",
            by: "a handler that hears no cancellation has no more than four times its runs"),
        LimitRow(
            "bytes of a result of a handler, and of an event of a closure",
            LimitRow.bytes(Limits.outputBytesPerStepMax),
            by: "a result or an event past a mebibyte fails for good"),
        LimitRow(
            "bytes of the reason of a failure", LimitRow.bytes(Limits.effectReasonBytesMax),
            by: "of a reason a kibibyte is kept, and no character in two",
            "a long reason is cut, and no character in two"),
        LimitRow(
            "failed effects kept per instance",
            "\(LimitRow.count(Limits.keptFailuresMax)), and about "
                + "\(LimitRow.bytes(Limits.keptFailureBytesMax)) of them",
            by: "an instance keeps the newest hundred failures",
            "of failures with much in them the newest four mebibytes are kept"),
        LimitRow(
            "due effects applied in one commit",
            "\(LimitRow.count(Limits.effectsPerBatchMax)), or as many as "
                + "\(EngineLoop.dueMicroseconds / 1_000) ms are enough for",
            by: "a host decides how much of what is due goes into a commit",
            "more timers of one moment than a batch takes all come, in order"),
        LimitRow(
            "attempts to commit due effects and results while the disk is full",
            Limits.fullDiskPauseMilliseconds == 1_000 ? "one a second" : "",
            by: "while the disk is full, what is due is tried once a second",
            "a full disk loses no report: it is taken again when there is room"),
        LimitRow(
            "checks of due effects of a machine that isn't hosted",
            Limits.postponementMilliseconds == 60_000 ? "one a minute" : "",
            by: "effects of a machine that isn't loaded wait for it to come back"),
        LimitRow(
            "attempts to undo an effect", LimitRow.count(Limits.undoingAttemptsMax),
            by: "an undoing is tried fifty times, then it has failed for good"),
        LimitRow("random bits of a token", "128", by: "tokens differ"),
    ]

    private static let options = HTTPOptions()

    private static let http: [LimitRow] = [
        LimitRow(
            "requests at the same time", LimitRow.count(options.concurrencyMax),
            by: "as many requests are under way as the operator allows, 64 unless he says",
            "no more tries are under way than the handler allows, and all get their turn"),
        LimitRow(
            "requests to one host at the same time",
            "\(LimitRow.count(options.perHostMax)), or `http-max-per-host`",
            by: "requests to one host share its places, however its name is spelled",
            "what hangs in one share leaves the others their places"),
        LimitRow(
            "hosts with a separate count",
            LimitRow.count(Limits.handlerSharesMax),
            by: "past the bound of shares, others use the queue of the handler"),
        LimitRow(
            "time of a request, from the name's look-up to the end of the response",
            "\(LimitRow.seconds(options.timeout)), or `timeout_ms` of the request, "
                + "at most \(LimitRow.seconds(options.timeoutMax))",
            by: "the time limit is the operator's where the request says none, and at most his",
            "the time limit covers looking the name up"),
        LimitRow(
            "time to connect", LimitRow.seconds(CurlLoop.connectTimeMax),
            by: "who doesn't take a connection is given up in time"),
        LimitRow(
            "names of hosts that wait to be looked up", LimitRow.count(NameLookups.waitingMax),
            by: "more names than may wait are refused"),
        LimitRow(
            "bytes of a response's headers", LimitRow.bytes(HTTPAnswer.headBytesMax),
            by: "headers without an end are refused"),
        LimitRow(
            "bytes of a response's body", LimitRow.bytes(options.responseBytesMax),
            by: "an answer without an end is refused after a mebibyte, and hung up on",
            "the bound of an answer is the operator's, to the byte"),
        LimitRow(
            "bytes of a URL", LimitRow.bytes(HTTPURL.bytesMax), by: "a long URL is refused"),
        LimitRow(
            "redirects that are followed",
            options.redirectsMax == 0 ? "none" : LimitRow.count(options.redirectsMax),
            by: "as many are followed as the operator allows"),
        LimitRow(
            "pause after a `Retry-After`",
            HTTPAnswer.retryAfterMax == .seconds(86_400) ? "a day" : "",
            by: "a server says when to come back"),
    ]
}
