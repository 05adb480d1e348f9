import GroveAccess
public import GroveEngine
public import GroveWire
import OrderedJSON

/// The protocol side of one connection: bytes in, requests and bytes out. It owns no socket and
/// reads no clock, so tests play conversations without either.
///
/// The owner calls ``greet(using:)`` once, ``receive(_:into:using:)`` for bytes of the client,
/// ``deliver(_:to:using:)`` and ``publish(to:weight:using:)`` for replies and records, and
/// ``tick(using:)`` about once per second. It sends ``outbound``, reads the socket only while
/// ``wantsInput(_:)``, and closes it when ``shouldClose``.
///
/// It can't be copied: a copy retains all that is in it, and each read would be one. Still, the
/// compiler passes its bytes, and those of a context, to each function that only reads. So what
/// happens for every event is inlined, or a `mutating` function that gets the context as `inout`.
public struct ConnectionMachine: ~Copyable {
    public let id: ConnectionID

    public var outbound = OutboundBuffer()

    /// The reason of the connection's end; once set, no line is accepted.
    public private(set) var closing: CloseReason?

    /// The number of the client's subscriptions.
    public internal(set) var subscriptions = 0

    var framer: LineFramer
    private var opening = OpeningBytes()
    var requests = RequestTable()
    var timers: ConnectionTimers
    /// Bytes that were read while no line could be accepted.
    var backlog: [UInt8] = []
    var backlogStart = 0
    /// Bytes that have left ``outbound`` and that the kernel hasn't accepted: those that the owner
    /// of the socket has encrypted.
    public var transportBytes = 0
    /// Bytes that were read and that the connection hasn't got: those of a part of a request over
    /// HTTP, or of another one that waits.
    package var waitingBytes = 0
    /// Whether only ops that read are carried out.
    package var isReadOnly = false
    /// Bytes of replies that wait for earlier ones (strict order).
    var heldBytes = 0
    var window = DeliveryWindow()
    /// The requests to the server itself that it hasn't seen.
    var serverRequests: [ServerRequest] = []
    /// Who the client is.
    var access = ConnectionAccess()
    /// Whether each line is a request by itself, which waits for the quotas of the principal that
    /// it is of: see ``beginRequests(using:)``.
    var decidesEachLine = false
    /// Whether bytes are counted for the principal line by line.
    var countsLineBytes: Bool { !isOverHTTP }
    /// Whether its lines are those of requests over HTTP, or of messages: then no client of another
    /// protocol sends them.
    var isOverHTTP = false
    /// The shape of lines that answer no request, or one without a shape: JSON-RPC once the client
    /// has sent it.
    private(set) var shape = LineShape.plain
    var isOrderStrict = false
    var hasGreeted = false
    private(set) var isHalfClosed = false
    private(set) var isDraining = false

    public init(id: ConnectionID, context: borrowing ProtocolContext) {
        self.id = id
        framer = LineFramer(
            lineBytesMax: context.limits.lineBytesMax, lineBytesHard: ServerLimits.lineBytesHard,
            idleBytesMax: ServerLimits.idleBufferBytesMax)
        timers = ConnectionTimers(
            now: context.now.uptime,
            heartbeatMilliseconds: context.limits.heartbeatMilliseconds)
    }

    public var inflight: Int { requests.count }

    // MARK: Input

    /// Receives the bytes of one read, and appends complete requests to `burst`.
    public mutating func receive(
        _ chunk: UnsafeRawBufferPointer, into burst: inout [Request],
        using context: inout ProtocolContext
    ) {
        guard closing == nil, !isHalfClosed else { return }
        if !isOverHTTP, opening.areTLS(chunk) { return reject(.tls, using: &context) }
        if hasBacklog {
            backlog.append(contentsOf: chunk)
            resume(into: &burst, using: &context)
            return
        }
        var position = 0
        decodeLines(chunk, &position, into: &burst, using: &context)
        if position < chunk.count, closing == nil {
            backlog.append(contentsOf: chunk[position...])
            backlogStart = 0
        }
    }

    /// Accepts lines that had to wait, if it can now.
    public mutating func resume(
        into burst: inout [Request], using context: inout ProtocolContext
    ) {
        if canResume(context.limits) {
            var chunk: [UInt8] = []
            swap(&chunk, &backlog)
            var position = backlogStart
            chunk.withUnsafeBytes {
                decodeLines($0, &position, into: &burst, using: &context)
            }
            backlogStart = 0
            if position < chunk.count, closing == nil {
                if backlog.isEmpty {
                    swap(&chunk, &backlog)
                    backlogStart = position
                } else {
                    backlog.append(contentsOf: chunk[position...])
                }
            }
            dropUnfinishedLine()
        }
        closeIfFinished()
    }

    /// Drops the unfinished last line of a half-closed client, which needs no memory.
    private mutating func dropUnfinishedLine() {
        guard isHalfClosed, !hasBacklog else { return }
        framer.dropLine()
        timers.lineStarted = nil
    }

    /// Whether ``resume(into:using:)`` has lines to accept now.
    @inline(__always) public func canResume(_ limits: ServerLimits) -> Bool {
        hasBacklog && acceptsLines(limits)
    }

    /// The client will send nothing more. A last line without a newline is discarded.
    public mutating func receiveEnd() {
        isHalfClosed = true
        dropUnfinishedLine()
        closeIfFinished()
    }

    @inline(__always) public func wantsInput(_ limits: ServerLimits) -> Bool {
        closing == nil && !isHalfClosed
            && (!hasBacklog && acceptsLines(limits) || waitsForQuota)
    }

    /// Whether the owner reads the socket now: ``wantsInput(_:)``, unless it ``isOverShare(_:)``.
    package mutating func isReading(using context: inout ProtocolContext) -> Bool {
        wantsInput(context.limits) && !isOverShare(context)
    }

    /// What the owner acts on after a change.
    package struct Stock {
        /// Whether lines wait that can be accepted: see ``ConnectionMachine/resume(into:using:)``.
        package let canResume: Bool
        /// What the client has accepted, for the engine.
        package let report: DeliveryReport?
        package let bufferedBytes: Int
        package let isHeldByQuota: Bool
        /// See ``ConnectionMachine/mustSayWho``.
        package let mustSayWho: Bool
    }

    /// Looks at all of it at once.
    package mutating func takeStock(using context: inout ProtocolContext) -> Stock {
        Stock(
            canResume: canResume(context.limits),
            report: makeWindowReport(context), bufferedBytes: bufferedBytes,
            isHeldByQuota: isHeldByQuota, mustSayWho: mustSayWho)
    }

    /// Bytes in memory that were read and are no requests yet, or that aren't sent yet.
    public var bufferedBytes: Int {
        outbound.count + transportBytes + heldBytes + (backlog.count - backlogStart)
            + framer.carriedBytes + waitingBytes
    }

    /// Whether it isn't read because memory is short and it holds more than its share, by an
    /// unfinished line or by unsent replies.
    @inline(__always) public func isOverShare(
        _ context: borrowing ProtocolContext
    ) -> Bool {
        context.buffers.isShort && bufferedBytes > context.limits.pendingBytesMax
    }

    package var hasBacklog: Bool { backlogStart < backlog.count }

    /// Whether one more line may be accepted. Requests and replies both have a bound; refusals
    /// count as replies.
    func acceptsLines(_ limits: ServerLimits) -> Bool {
        closing == nil && requests.count < limits.inflightMax
            && outbound.count + heldBytes < limits.pendingBytesMax && !isHeldByQuota
    }

    private mutating func decodeLines(
        _ chunk: UnsafeRawBufferPointer, _ position: inout Int, into burst: inout [Request],
        using context: inout ProtocolContext
    ) {
        var hasLines = false
        var work = 0
        let end = outbound.count + heldBytes + ServerLimits.answerBytesPerTurnMax
        lines: while work < ServerLimits.linesPerTurnMax, acceptsLines(context.limits),
            outbound.count + heldBytes < end
        {
            work += 1
            switch framer.next(in: chunk, from: &position) {
            case .line(let range):
                hasLines = true
                guard
                    receive(
                        line: UnsafeRawBufferPointer(rebasing: chunk[range]), into: &burst,
                        using: &context)
                else {
                    position = range.lowerBound
                    break lines
                }
            case .carriedLine:
                hasLines = true
                var line = framer.removeCarriedLine()
                let isDone = line.withUnsafeBytes {
                    receive(line: $0, into: &burst, using: &context)
                }
                guard isDone else {
                    backlog = closing == nil ? line + [0x0A] : []
                    break lines
                }
                framer.reuse(&line)
            case .tooLong where !isOverHTTP && ForeignSpeech.beginsRequestLine(framer.beginning):
                reject(.http, using: &context)
            case .tooLong where access.isUnknown:
                let message = "say who you are in at most \(framer.lineBytesMax) bytes"
                refuse(WireError(.lineTooLong, message), .null, shape, using: &context)
                close(.unauthenticated)
                break lines
            case .tooLong where !takeRoom(.null, shape, using: &context): break lines
            case .tooLong:
                hasLines = true
                timers.lineReceived()
                refuse(
                    WireError(
                        .lineTooLong, "a line has at most \(framer.lineBytesMax) bytes"),
                    .null, shape, using: &context)
            case .flood:
                close(.lineFlood)
                break lines
            case .empty:
                work += ServerLimits.linesPerTurnMax / 64
            case .needsMore: break lines
            }
        }
        timers.updateLine(
            isInside: framer.isInsideLine, isNew: hasLines, now: context.now.uptime)
        if !access.isDecided { boundUndecided() }
    }

    /// Receives a line.
    ///
    /// - Returns: `false` if it waits, and must come again.
    private mutating func receive(
        line: UnsafeRawBufferPointer, into burst: inout [Request],
        using context: inout ProtocolContext
    ) -> Bool {
        timers.lineReceived()
        if !isOverHTTP, ForeignSpeech.isRequestLine(line) {
            reject(.http, using: &context)
            return true
        }
        if access.isUnknown {
            countUnknownLine(using: &context)
            if closing != nil { return true }
        }
        let decoded = decode(line, using: &context)
        let shape = decoded.shape ?? (decoded.isArray ? .jsonRPC : self.shape)
        guard access.isDecided || admits(decoded, shape, using: &context) else { return false }
        context.countLine()
        if countsLineBytes {
            access.use?.spend(events: 0, bytes: line.count + 1, at: context.now.uptime)
        }
        if decoded.shape == .jsonRPC { self.shape = .jsonRPC }
        // The rest has another function, so that this one has room for few values.
        carryOut(decoded, shape, lineBytes: line.count, into: &burst, using: &context)
        if decidesEachLine { access.isDecided = false }
        return true
    }

    private mutating func carryOut(
        _ decoded: DecodedLine, _ shape: LineShape, lineBytes: Int, into burst: inout [Request],
        using context: inout ProtocolContext
    ) {
        guard case .operation(let operation) = decoded.body else {
            return answer(decoded, shape, using: &context)
        }
        let op = operation.op
        if isReadOnly, !operation.isForReaders {
            context.refusals.note(refusal(of: op, .addressOnlyReads))
            refuse(
                WireError(.forbidden, "at this address the server only reads"), decoded.answer,
                shape, using: &context)
        } else if op == .stats, !context.health.isLive(at: context.now.uptime) {
            enqueue(.stats, decoded.answer, shape, using: &context)
        } else {
            enqueue(
                operation, decoded.answer, shape, lineBytes: lineBytes, trace: decoded.trace,
                into: &burst, using: &context)
        }
    }

    /// Answers what isn't for the engine.
    private mutating func answer(
        _ decoded: DecodedLine, _ shape: LineShape, using context: inout ProtocolContext
    ) {
        switch decoded.body {
        case .operation: preconditionFailure("operations are for the engine")
        case .series(let step): answerSeries(step, decoded.answer, shape, using: &context)
        case .ping(let echo, let withHealth):
            answerPing(echo, withHealth: withHealth, decoded.answer, shape, using: &context)
        case .hello(let isOrderStrict, let token):
            answerHello(isOrderStrict, token, decoded.answer, shape, using: &context)
        case .reload:
            guard !isReadOnly else {
                context.refusals.note(refusal(of: .reload, .addressOnlyReads))
                let forbidden = WireError(.forbidden, "at this address the server only reads")
                return refuse(forbidden, decoded.answer, shape, using: &context)
            }
            enqueue(.reload, decoded.answer, shape, using: &context)
        case .auth(let claim): answerAuth(claim, decoded.answer, shape, using: &context)
        case .refusal(let error) where error.code == .unsupportedProto && hasGreeted:
            refuse(Self.secondHello(shape), decoded.answer, shape, using: &context)
        case .refusal(let error):
            let known =
                error.code == .unauthenticated ? context.unauthenticated(error.message) : error
            refuse(known, decoded.answer, shape, using: &context)
            if error.code == .unsupportedProto { close(.unsupportedProto) }
        }
    }

    /// Answers a client of another protocol in that protocol, once, and ignores its further
    /// bytes. Outstanding replies aren't sent: they would land within that answer.
    private mutating func reject(
        _ speech: ForeignSpeech, using context: inout ProtocolContext
    ) {
        outbound.writer.raw(speech.answer)
        timers.sent(context.now.uptime)
        close(speech.reason)
    }

    private mutating func enqueue(
        _ operation: Operation, _ answer: DecodedLine.Answer, _ shape: LineShape,
        lineBytes: Int, trace: TraceParent?, into burst: inout [Request],
        using context: inout ProtocolContext
    ) {
        let (mayWait, isTimed) = operation.timing
        if isDraining || isTooMuch(mayWait, lineBytes, context) {
            let code: ErrorCode = isDraining ? .draining : .overloaded
            refuse(WireError(code, code.meaning), answer, shape, using: &context)
            return
        }
        if let error = takeFromQuota(operation, using: context) {
            return refuse(error, answer, shape, using: &context)
        }
        context.countRequest(lineBytes)
        let token = requests.insert(
            RequestTable.Slot(
                answer: answer, shape: shape, op: operation.op, lineBytes: Int32(lineBytes),
                isOrdered: isOrderStrict, held: nil,
                arrival: isTimed ? context.microseconds : 0,
                waits: mayWait, isRepeatable: operation.isRepeatable,
                beginsSubscription: operation.op == .subscribe,
                endsSubscription: operation.op == .unsubscribe))
        burst.append(
            Request(
                connection: id, token: token, operation: addressed(operation, shape),
                caller: caller(using: context), trace: trace))
    }

    /// The operation with what only its connection knows.
    @inline(__always) private func addressed(
        _ operation: Operation, _ shape: LineShape
    ) -> Operation {
        switch operation.op {
        case .subscribe where shape != .plain:
            guard case .subscribe(var subscribe) = operation else { return operation }
            subscribe.tag = shape.rawValue
            return .subscribe(subscribe)
        case .accounts, .audit, .token:
            guard case .accounts(var request) = operation else { return operation }
            request.from = access.origin.address
            return .accounts(request)
        default: return operation
        }
    }

    /// Passes a request to the server itself.
    private mutating func enqueue(
        _ kind: ServerRequest.Kind, _ answer: DecodedLine.Answer, _ shape: LineShape,
        using context: inout ProtocolContext
    ) {
        guard !isDraining else {
            let draining = WireError(.draining, ErrorCode.draining.meaning)
            return refuse(draining, answer, shape, using: &context)
        }
        context.countRequest(0)
        countRequest()
        let token = requests.insert(
            RequestTable.Slot(
                answer: answer, shape: shape, lineBytes: 0, isOrdered: isOrderStrict, held: nil))
        serverRequests.append(ServerRequest(kind: kind, token: token))
    }

    /// Whether there is no room for this request now.
    @inline(__always) private func isTooMuch(
        _ mayWait: Bool, _ lineBytes: Int, _ context: borrowing ProtocolContext
    ) -> Bool {
        mayWait
            ? context.isOverloadedForWaiting(requests, lineBytes: lineBytes)
            : context.isOverloaded
    }

    private static func secondHello(_ shape: LineShape) -> WireError {
        .badRequest(shape == .plain ? "$.op" : "$.method", "hello was said before")
    }

    private mutating func answerHello(
        _ isOrderStrict: Bool, _ token: DecodedLine.TokenMember, _ answer: DecodedLine.Answer,
        _ shape: LineShape, using context: inout ProtocolContext
    ) {
        guard !hasGreeted else {
            refuse(Self.secondHello(shape), answer, shape, using: &context)
            return
        }
        // Without accounts there is nothing to show, and a token does no harm.
        if case .shown(let claim) = token, !context.access.accounts.isOpen,
            let error = authenticate(claim, shape, using: &context)
        {
            refuse(error, answer, shape, using: &context)
            return
        }
        hasGreeted = true
        let session = Int64(clamping: id.value)
        let number = access.caller.principal
        let expires = access.expires
        respond(answer, shape, using: &context) { writer, context in
            let accounts = context.access.accounts
            let name = accounts.name(of: number)
            context.replies.appendLine(to: answer, as: shape, &writer) { replies, writer in
                writer.literal(#","session":"c-"#)
                writer.integer(session)
                writer.literal(#"""#)
                writer.member("principal", name ?? PrincipalName.anonymous.text)
                // Without accounts, and to the owner, nothing is refused.
                guard !accounts.isOpen, let account = accounts.principals[number]?.account else {
                    return
                }
                writer.array("grants", account.grants.map(\.description))
                replies.instant(expires, as: #","expires":""#, &writer)
            }
        }
        self.isOrderStrict = isOrderStrict
    }

    private mutating func answerPing(
        _ echo: [UInt8]?, withHealth: Bool, _ answer: DecodedLine.Answer, _ shape: LineShape,
        using context: inout ProtocolContext
    ) {
        respond(answer, shape, using: &context) { writer, context in
            let (now, health) = (context.now, context.health)
            context.replies.appendLine(to: answer, as: shape, &writer) { replies, writer in
                if let echo {
                    writer.literal(#","t":"#)
                    writer.raw(echo)
                }
                replies.times.append(now.time, as: #","time":""#, to: &writer)
                if withHealth { health.append(to: &writer, at: now.uptime) }
            }
        }
    }

    private mutating func answerSeries(
        _ step: SeriesStep, _ answer: DecodedLine.Answer, _ shape: LineShape,
        using context: inout ProtocolContext
    ) {
        respond(answer, shape, using: &context) { writer, context in
            context.replies.appendLine(to: answer, as: shape, &writer) { replies, writer in
                context.series.append(
                    step, now: context.now, &replies.times, to: &writer)
            }
        }
    }

    mutating func refuse(
        _ error: WireError, _ answer: DecodedLine.Answer, _ shape: LineShape,
        using context: inout ProtocolContext
    ) {
        countRefusal(error, isAnswered: answer != .none, using: &context)
        respond(answer, shape, using: &context) { writer, context in
            context.replies.append(error, to: answer, as: shape, into: &writer)
        }
    }

    /// Answers at once, or after earlier replies if the client asked for strict order.
    mutating func respond(
        _ answer: DecodedLine.Answer, _ shape: LineShape,
        using context: inout ProtocolContext,
        _ write: (inout JSONWriter, inout ProtocolContext) -> Void
    ) {
        guard answer != .none else { return }
        timers.sent(context.now.uptime)
        guard isOrderStrict, requests.hasOrder else {
            write(&outbound.writer, &context)
            return
        }
        var writer = JSONWriter()
        write(&writer, &context)
        heldBytes += writer.bytes.count
        _ = requests.insert(
            RequestTable.Slot(
                answer: answer, shape: shape, lineBytes: 0, isOrdered: true,
                held: writer.bytes))
    }

    /// The requests to the server itself since the last call: each gets its reply by
    /// ``deliver(_:to:using:)``.
    package mutating func takeServerRequests() -> [ServerRequest] {
        guard !serverRequests.isEmpty else { return [] }
        defer { serverRequests = [] }
        return serverRequests
    }

    // MARK: Closing

    public mutating func close(_ reason: CloseReason) {
        // Nothing can be sent on a broken connection.
        let isSevere = [.clientGone, .revoked, .expired].contains(reason)
        if closing == nil || reason == .clientGone || closing == .unsupportedProto && isSevere {
            closing = reason
        }
        backlog = []
        backlogStart = 0
        framer.dropLine()
    }

    /// Gives up on a closing client that doesn't accept its last bytes.
    mutating func abandon() { closing = .slowConsumer }

    /// Whether it can be closed: nothing more will be sent, and the kernel has what was.
    public var shouldClose: Bool {
        switch closing {
        case nil: false
        case .slowConsumer, .clientGone, .heartbeatTimeout: true
        default: isFinished && transportBytes == 0
        }
    }

    /// Whether the stream to the client can end: nothing more will be written to ``outbound``, and
    /// it is empty.
    public var isFinished: Bool {
        switch closing {
        case nil: false
        // No plaintext passes any more.
        case .slowConsumer, .clientGone, .heartbeatTimeout, .tlsFailed: true
        // Requests before the line that ended the connection still get their replies.
        case .unsupportedProto: outbound.isEmpty && requests.count == 0
        // The same, but it doesn't wait for what may take long, such as an `await`.
        case .unauthenticated, .expired:
            outbound.isEmpty && access.requestsUnderWay <= requests.waiting
        case .clientClosed, .httpRequest, .tlsHello, .notTLS, .lineFlood, .lineTimeout,
            .connectionLimit, .revoked, .serverShutdown, .httpRefused, .httpClosed, .idle:
            outbound.isEmpty
        }
    }

    /// Announces the shutdown to the client. New requests are refused.
    ///
    /// - Parameters:
    ///   - milliseconds: The time until the connection is closed.
    ///   - context: The context of the queue.
    public mutating func drain(milliseconds: Int64, using context: inout ProtocolContext) {
        guard !isDraining, closing == nil else { return }
        isDraining = true
        ReplyEncoder.append(
            "draining", "deadline_ms", milliseconds, as: shape, into: &outbound.writer)
        timers.sent(context.now.uptime)
    }

    func closesWhenIdle() -> Bool {
        isHalfClosed && !hasBacklog && requests.count == 0 && subscriptions == 0
    }

    mutating func closeIfFinished() {
        if closesWhenIdle() { close(.clientClosed) }
    }

    mutating func countSubscription(_ change: Int) {
        subscriptions = max(0, subscriptions + change)
        access.use?.count(subscriptions: change)
    }
}
