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
            by: "a step asks for at most a thousand effects"),
        LimitRow(
            "stored effects of an instance, with those of the new step; sequences, failed "
                + "ones, and completed ones that can be undone count",
            LimitRow.count(Limits.effectsPerInstanceMax),
            by: "an instance has at most ten thousand effects, and can then cancel some",
            "failed and undoable effects count until they are removed"),
        LimitRow(
            "bytes of these effects, about", LimitRow.bytes(Limits.effectBytesPerInstanceMax),
            by: "the bytes of an instance's effects are bounded"),
        LimitRow(
            "bytes of an effect's id with its scopes, as JSON",
            LimitRow.count(HostedKey.bytesMax),
            by: "an id has at most two hundred bytes",
            "an effect's id has two hundred bytes and no more"),
        LimitRow(
            "bytes of the name of an effect's target: an instance, a machine, a handler",
            LimitRow.count(HostedRun.targetBytesMax),
            by: "names of targets may have the maximum length"),
        LimitRow(
            "nesting of an effect's event or argument, as JSON",
            LimitRow.count(JSONLimits.standard.depthMax),
            by: "values, and effects in effects, have a depth"),
        LimitRow(
            "sequences and groups around an effect", LimitRow.count(HostedEffect.nestingMax),
            by: "values, and effects in effects, have a depth"),
        LimitRow(
            "attempts, milliseconds and queue lengths that a machine may set", "2⁵³ − 1",
            by: "unlimited bounds are stored as the largest numbers",
            "numbers of retry policies and queues are clamped to JSON's"),
        LimitRow(
            "names tried for a child if instances of the first ones exist",
            LimitRow.count(Limits.childNameTriesMax),
            by: "names that are in use are skipped, however many"),
        LimitRow(
            "closures of effects that run or wait, in total",
            LimitRow.count(EngineOptions().closuresMax),
            by: "the number of closures is bounded, and one that ends makes room"),
        LimitRow(
            "events that wait in a closure's inbox", LimitRow.count(HostedClosure.inboxMax),
            by: "the inbox of a closure is bounded"),
        LimitRow(
            "effects that wait in one queue", LimitRow.count(EffectLedger.waitingMax),
            by: "a full queue is a failure for the machine, and the others continue"),
    ]

    private static let handlers: [LimitRow] = [
        LimitRow(
            "calls of one handler at the same time",
            "\(EffectHandler.concurrencyDefault), or the number that it was registered with",
            by: "a handler has at most its number of runs, and others wait",
            "the running attempts of a handler are bounded, and all run"),
        LimitRow(
            "time of one attempt of a handler; closures have no bound",
            "\(LimitRow.seconds(EffectHandler.timeoutDefault)), or the time that the handler or "
                + "the effect sets",
            by: "an attempt that takes too long fails at once, though its handler runs on",
            "a closure runs instead of a handler, without a time limit"),
        LimitRow(
            "calls of one handler that continue after their time because they ignore "
                + "cancellation",
            "\(LimitRow.count(EffectRunner.overdueFactorMax)) times as many as at once",
            by: "a handler that ignores cancellation has at most four times its runs"),
        LimitRow(
            "bytes of a result of a handler, and of an event of a closure",
            LimitRow.bytes(Limits.outputBytesPerStepMax),
            by: "a result or an event past a mebibyte fails for good"),
        LimitRow(
            "bytes of the reason of a failure", LimitRow.bytes(Limits.effectReasonBytesMax),
            by: "a reason is cut after a kibibyte, between two characters",
            "a long reason is cut between two characters"),
        LimitRow(
            "failed effects kept per instance",
            "\(LimitRow.count(Limits.keptFailuresMax)), and about "
                + "\(LimitRow.bytes(Limits.keptFailureBytesMax)) of them",
            by: "an instance keeps the newest hundred failures",
            "of large failures the newest four mebibytes are kept"),
        LimitRow(
            "due effects applied in one commit",
            "\(LimitRow.count(Limits.effectsPerBatchMax)), or as many as "
                + "\(EngineLoop.dueMicroseconds / 1_000) ms allows",
            by: "the host decides how many due effects are in a commit",
            "more timers of one moment than fit into a batch all fire, in order"),
        LimitRow(
            "last events of a child that its end delivers in one turn",
            "\(LimitRow.count(Limits.lastEventsPerTurn))",
            by: "many last events come in turns, before the end"),
        LimitRow(
            "attempts to commit due effects and results while the disk is full",
            Limits.fullDiskPauseMilliseconds == 1_000 ? "one per second" : "",
            by: "on a full disk, due effects are tried once per second",
            "a full disk loses no report: it is applied when there is room"),
        LimitRow(
            "checks of due effects of a machine that isn't hosted",
            Limits.postponementMilliseconds == 60_000 ? "one per minute" : "",
            by: "effects of a machine that isn't hosted wait for it"),
        LimitRow(
            "attempts to undo an effect", LimitRow.count(Limits.undoingAttemptsMax),
            by: "an undoing has fifty attempts, then it has failed for good"),
        LimitRow("random bits of a token", "128", by: "each effect has a different token"),
    ]

    private static let options = HTTPOptions()

    private static let http: [LimitRow] = [
        LimitRow(
            "requests at the same time", LimitRow.count(options.concurrencyMax),
            by: "the number of running requests is the configured one, 64 by default",
            "the running attempts of a handler are bounded, and all run"),
        LimitRow(
            "requests to one host at the same time",
            "\(LimitRow.count(options.perHostMax)), or `http-max-per-host`",
            by: "requests to one host share its places, however its name is spelled",
            "a share that hangs leaves the others their places"),
        LimitRow(
            "hosts with a separate count",
            LimitRow.count(Limits.handlerSharesMax),
            by: "past the bound of shares, others use the queue of the handler"),
        LimitRow(
            "time of a request, from the name's look-up to the end of the response",
            "\(LimitRow.seconds(options.timeout)), or `timeout_ms` of the request, "
                + "at most \(LimitRow.seconds(options.timeoutMax))",
            by: "the time limit is the request's, up to the configured one",
            "the time limit covers looking the name up"),
        LimitRow(
            "time to connect", LimitRow.seconds(CurlLoop.connectTimeMax),
            by: "a host that doesn't accept a connection times out"),
        LimitRow(
            "names of hosts that wait to be looked up", LimitRow.count(NameLookups.waitingMax),
            by: "names past the bound of waiting ones are refused"),
        LimitRow(
            "bytes of a response's headers", LimitRow.bytes(HTTPAnswer.headBytesMax),
            by: "headers without an end are refused"),
        LimitRow(
            "bytes of a response's body", LimitRow.bytes(options.responseBytesMax),
            by: "an endless answer is refused after a mebibyte, and closed",
            "the bound of an answer is the configured one, to the byte"),
        LimitRow(
            "bytes of a URL", LimitRow.bytes(HTTPURL.bytesMax), by: "a long URL is refused"),
        LimitRow(
            "redirects that are followed",
            options.redirectsMax == 0 ? "none" : LimitRow.count(options.redirectsMax),
            by: "redirects are followed up to the configured number"),
        LimitRow(
            "pause after a `Retry-After`",
            HTTPAnswer.retryAfterMax == .seconds(86_400) ? "a day" : "",
            by: "the pause of a Retry-After is read"),
        LimitRow(
            "secrets", LimitRow.count(EffectSecrets.countMax),
            by: "two secrets of one name and too many secrets are refused"),
        LimitRow(
            "bytes of a secret's value", LimitRow.bytes(SecretValue.bytesMax),
            by: "the longest value has 4,096 bytes"),
        LimitRow(
            "bytes of a secret's value that is replaced in answers",
            "\(LimitRow.count(EffectSecrets.replacedBytesMin)) and more",
            by: "values of eight bytes and more are replaced by their names"),
    ]
}
