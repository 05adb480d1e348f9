import GroveWire
import OrderedJSON

/// HTTP between a connection's bytes and the line protocol: requests become lines, and lines become
/// answers. It owns no socket and reads no clock, and knows neither engine nor machines.
///
/// HTTP adds nothing to what requests mean: what it accepts is written as a line of the protocol,
/// and read by the decoder of lines, so grants, quotas, bounds and errors are the same.
///
/// The owner gives it the client's bytes by ``next(in:from:isUnknown:using:)`` and does what the
/// actions say, gives it the lines of the protocol by ``translate(_:using:)``, sends ``outbound``,
/// and closes the connection for the reason in ``end``.
package struct HTTPConnection: ~Copyable {
    /// What the owner has to do.
    package enum Action: Sendable, Equatable {
        /// Give `HTTPContext.lines` to the line protocol.
        case lines
        /// Make the client a new one for the line protocol, which is known by its transport only;
        /// then give it `HTTPContext.lines`, which say who it is, if there are any.
        case identify
        /// Let the line protocol greet.
        case greet
        /// The client has answered a heartbeat.
        case answered
        /// Have a machine drawn, elsewhere; then call ``HTTPConnection/finish(_:using:)``.
        case draw(DrawingOrder)
    }

    enum Phase {
        /// Between requests, or within the head of one.
        case ready
        /// A line with the client's token was given; its reply decides about the request.
        case identifying(Exchange)
        /// The client is known as well as it will be for this request.
        case admitting(Exchange)
        /// Within the body of a request.
        case reading(Exchange)
        /// The request's line was given, and there is no reply yet.
        case waiting(Exchange)
        /// The machine that the request wants to see drawn was described.
        case ordering(Exchange, DrawingOrder)
        /// It is being drawn, or waits for that.
        case drawing(Exchange, DrawingOrder)
        /// A copy of all data is made, or read.
        case copying(Exchange, BackupTransfer)
        case records(RecordStream)
        case socket(WebSocketReader)
        /// Nothing more is accepted.
        case ended
    }

    /// Bytes for the client.
    package var outbound = OutboundBuffer()
    /// Answers for the log, if it has them; the owner takes them.
    package var entries: [AnswerEntry] = []
    /// The reason for which the connection is closed once ``outbound`` is empty.
    package internal(set) var end: CloseReason?

    var phase = Phase.ready
    var parser: HTTPParser
    /// The token of the last request, if it was right.
    var token: [UInt8]?
    /// When the present request began, or the last one ended.
    var since: Int64
    /// Whether a request has begun.
    var isBusy = false
    /// Whether there was a request.
    var isUsed = false
    /// Whether the next refusal of the line protocol is about the connection, which ends.
    package var endsWithAnswer = false

    package init(_ context: borrowing HTTPContext) {
        parser = HTTPParser(bodyBytesMax: context.settings.bodyBytesMax)
        since = context.now
    }

    /// Whether the client's bytes mean something now: else they wait for an answer.
    package var acceptsBytes: Bool {
        switch phase {
        case .identifying, .waiting, .drawing: false
        case .ready: end == nil && (isBusy || acceptsLines)
        // Pings are answered, also those of a client that reads nothing.
        case .socket: end == nil && acceptsLines
        case .copying: end == nil && hasWork
        case .admitting, .reading, .ordering, .records, .ended: end == nil
        }
    }

    /// Whether there is something to do without more bytes.
    package var hasWork: Bool {
        switch phase {
        case .admitting, .ordering: true
        case .copying(_, let transfer): transfer.hasLine && acceptsLines
        default: false
        }
    }

    /// Whether more lines may become bytes for the client.
    package var acceptsLines: Bool { outbound.count < HTTPLimits.outboundBytesMax }

    /// Whether it is a subscription or a socket, which ends with the client's stream.
    package var isOpenEnded: Bool {
        switch phase {
        case .records, .socket: true
        default: false
        }
    }

    /// Whether the client answers heartbeats.
    package var answersHeartbeats: Bool {
        if case .socket = phase { true } else { false }
    }

    /// Whether the line protocol knows whose the bytes are that were accepted: not within a head,
    /// nor before the reply about the token that was in it.
    package var isSenderKnown: Bool {
        switch phase {
        case .identifying: false
        case .ready: !isBusy
        default: true
        }
    }

    /// Whether the present request may take long, because it waits for effects or a state, or is
    /// answered with all data.
    package var isWaitingLong: Bool {
        switch phase {
        case .waiting(let exchange): exchange.mayWaitLong
        case .copying: true
        default: false
        }
    }

    /// Ends the connection without an answer to its present request.
    package mutating func abandon(_ reason: CloseReason) { end = end ?? reason }

    /// Bytes of an unfinished request.
    package var carriedBytes: Int {
        switch phase {
        case .reading(let exchange), .admitting(let exchange), .identifying(let exchange):
            parser.carriedBytes + exchange.body.count
        case .ordering(_, let order), .drawing(_, let order):
            parser.carriedBytes + order.graph.count
        case .socket(let reader): reader.carriedBytes
        default: parser.carriedBytes
        }
    }

    // MARK: Requests

    /// Accepts bytes of the client until there is something to do for the owner.
    ///
    /// - Parameters:
    ///   - chunk: The bytes.
    ///   - position: The first one that isn't accepted yet; afterwards the first one that waits.
    ///   - isUnknown: Whether the client must say who it is before it may do anything.
    /// - Returns: What to do; then call it again. `nil` when it needs more bytes, or lines.
    package mutating func next(
        in chunk: UnsafeRawBufferPointer, from position: inout Int, isUnknown: Bool,
        using context: inout HTTPContext
    ) -> Action? {
        while end == nil, context.work > 0 {
            switch phase {
            case .identifying, .waiting, .drawing: return nil
            case .ordering(let exchange, let order):
                phase = .drawing(exchange, order)
                return .draw(order)
            case .copying(let exchange, let transfer):
                return nextLine(exchange, transfer, using: &context)
            case .records, .ended:
                position = chunk.count
                return nil
            case .socket: return nextMessages(in: chunk, from: &position, using: &context)
            case .admitting(let exchange):
                // With the body there, nobody has to be asked for it.
                let isAsked = exchange.expectsContinue && position == chunk.count
                admit(exchange, isUnknown: isUnknown, isAsked: isAsked, using: &context)
            case .ready, .reading:
                guard position < chunk.count || isBusy else { return nil }
                if !isBusy {
                    guard acceptsLines else { return nil }
                    isBusy = true
                    since = context.now
                }
                switch parser.next(in: chunk, from: &position) {
                case .needsMore:
                    if !parser.isInsideRequest, case .ready = phase { isBusy = false }
                    return nil
                case .head(let head):
                    context.work -= HTTPLimits.workPerRequest
                    context.work -= head.byteCount / HTTPLimits.headBytesPerWork
                    if let action = accept(head, isUnknown: isUnknown, using: &context) {
                        return action
                    }
                    if case .ready = phase { skipEnd() }
                case .body(let range):
                    context.work -= 1
                    guard case .reading(let exchange) = phase else { break }
                    exchange.body.append(
                        contentsOf: UnsafeRawBufferPointer(rebasing: chunk[range]))
                case .end:
                    context.work -= 1
                    if let action = finish(using: &context) { return action }
                case .refusal(let refusal):
                    refuse(Refusal(refusal), nil, using: &context)
                }
            }
        }
        if end != nil { position = chunk.count }
        return nil
    }

    /// The client's stream has ended.
    package mutating func receiveEnd(using context: inout HTTPContext) {
        switch phase {
        case .records, .socket: end = end ?? .clientClosed
        case .identifying(let exchange), .admitting(let exchange): exchange.keepsAlive = false
        case .ready, .reading:
            if parser.isInsideRequest {
                refuse(Refusal(400, "the request ends in its middle"), nil, using: &context)
            } else {
                end = end ?? .clientClosed
            }
        // Nobody may be there any more, and the connection would stay for an hour.
        case .waiting(let exchange) where exchange.mayWaitLong: end = end ?? .clientGone
        case .copying: end = end ?? .clientGone
        case .waiting(let exchange): exchange.keepsAlive = false
        case .ordering(let exchange, _), .drawing(let exchange, _): exchange.keepsAlive = false
        case .ended: break
        }
    }

    /// The answer to a client for whose connection there is no room.
    package static func overload(_ why: String, using context: inout HTTPContext) -> [UInt8] {
        var connection = HTTPConnection(context)
        var refusal = Refusal(.overloaded, why)
        refusal.endsConnection = true
        connection.refuse(refusal, nil, using: &context)
        return connection.outbound.writer.bytes
    }

    /// Refuses a client that speaks HTTP where TLS is spoken.
    package mutating func refusePlain(using context: inout HTTPContext) {
        refuse(Refusal(400, "this port speaks HTTPS"), nil, using: &context)
        end = .notTLS
    }

    /// Checks a head: who may ask, what for, and in which form.
    private mutating func accept(
        _ head: HTTPRequestHead, isUnknown: Bool, using context: inout HTTPContext
    ) -> Action? {
        isUsed = true
        do throws(Refusal) {
            let exchange = try Gatekeeper.admit(head, using: &context)
            let shown = head.method == .options ? token : try head.bearerToken()
            guard shown != token else {
                phase = .admitting(exchange)
                return nil
            }
            identify(exchange, by: shown, using: &context)
            return .identify
        } catch {
            refuse(error, head, using: &context)
            return nil
        }
    }

    /// Takes the end of a request that was refused by its head: it has no body.
    private mutating func skipEnd() {
        var position = 0
        _ = parser.next(in: UnsafeRawBufferPointer(start: nil, count: 0), from: &position)
    }

    /// Lets the line protocol decide about a token that the request before hadn't shown.
    private mutating func identify(
        _ exchange: Exchange, by shown: [UInt8]?, using context: inout HTTPContext
    ) {
        token = shown
        context.lines.bytes.removeAll(keepingCapacity: true)
        guard let shown else {
            phase = .admitting(exchange)
            return
        }
        phase = .identifying(exchange)
        context.lines.literal(#"{"op":"hello","id":0,"token":"#)
        shown.withUnsafeBytes { context.lines.string(utf8: $0) }
        context.lines.literal("}\n")
    }

    /// Lets a request pass whose client is known, or which everybody may make.
    private mutating func admit(
        _ exchange: Exchange, isUnknown: Bool, isAsked: Bool, using context: inout HTTPContext
    ) {
        guard !isUnknown || exchange.route.isPublic else {
            var refusal = Refusal(
                .unauthenticated,
                "this takes a token, in Authorization: Bearer; grove token create makes one")
            refusal.endsConnection = true
            return refuse(refusal, exchange, using: &context)
        }
        if isAsked {
            outbound.writer.literal("HTTP/1.1 100 Continue\r\n\r\n")
        }
        phase = .reading(exchange)
    }

    /// Answers a request that is complete, or has it answered.
    private mutating func finish(using context: inout HTTPContext) -> Action? {
        guard case .reading(let exchange) = phase else { return nil }
        phase = .ready
        switch exchange.route.action {
        case .live: answer(exchange, isHealthy: context.isLive, "live", using: &context)
        case .ready: answer(exchange, isHealthy: context.isReady, "ready", using: &context)
        case .openAPI:
            respond(200, .json, OpenAPI.document, to: exchange, using: &context)
        case .errorPage: answerErrorPage(exchange, using: &context)
        case .preflight(let methods): answerOptions(methods, exchange, using: &context)
        case .console, .asset: answerAsset(exchange, using: &context)
        case .greeting:
            phase = .waiting(exchange)
            return .greet
        case .socket:
            openSocket(exchange, using: &context)
            return .greet
        case .op, .records, .metrics, .diagram, .backup:
            do throws(Refusal) {
                context.lines.bytes.removeAll(keepingCapacity: true)
                try RequestLine.write(
                    exchange, to: &context.lines, reading: &context.document, context.settings)
            } catch {
                refuse(error, exchange, using: &context)
                return nil
            }
            exchange.body = []
            phase = .waiting(exchange)
            return .lines
        }
        return nil
    }

    private mutating func answer(
        _ exchange: Exchange, isHealthy: Bool, _ word: StaticString,
        using context: inout HTTPContext
    ) {
        var writer = JSONWriter()
        writer.object { $0.member(word, isHealthy) }
        respond(isHealthy ? 200 : 503, .json, writer.bytes, to: exchange, using: &context)
    }

    private mutating func answerErrorPage(
        _ exchange: Exchange, using context: inout HTTPContext
    ) {
        let name = String(decoding: exchange.variables["code"] ?? [], as: UTF8.self)
        guard let code = ErrorCode(rawValue: name) else {
            return refuse(Refusal(404, "there is no such code"), exchange, using: &context)
        }
        let outlook = code.isRetryable ? "may succeed later" : "fails again"
        let text = """
            \(code.rawValue): \(code.meaning).
            Status \(code.status). The same request \(outlook).

            """
        respond(200, .text, Array(text.utf8), to: exchange, using: &context)
    }
}
