import GroveWire
import OrderedJSON

/// Writing answers.
extension HTTPConnection {
    enum MediaType {
        case json
        case problem
        case text
        case metrics
        case drawing
        case other(StaticString)

        var text: StaticString {
            switch self {
            case .json: "application/json"
            case .problem: "application/problem+json"
            case .text: "text/plain; charset=utf-8"
            case .metrics: "text/plain; version=0.0.4; charset=utf-8"
            case .drawing: "image/svg+xml"
            case .other(let text): text
            }
        }
    }

    /// Writes a whole answer, and makes the connection ready for the next request.
    ///
    /// - Parameters:
    ///   - body: The body; only its length is written to a HEAD.
    ///   - fields: Writes further fields, each with its CRLF.
    mutating func respond(
        _ status: Int, _ type: MediaType, _ body: some Collection<UInt8>, to exchange: Exchange,
        cache: StaticString = "no-store", using context: inout HTTPContext,
        fields: (inout JSONWriter) -> Void = { _ in }
    ) {
        respond(
            status, type, bytes: body.count, to: exchange, cache: cache, using: &context,
            fields: fields
        ) { $0.raw(body) }
    }

    /// The same with a body that is written in its place.
    ///
    /// - Parameters:
    ///   - bytes: The length of the body.
    ///   - body: Writes it.
    mutating func respond(
        _ status: Int, _ type: MediaType, bytes: Int, to exchange: Exchange,
        cache: StaticString = "no-store", using context: inout HTTPContext,
        fields: (inout JSONWriter) -> Void = { _ in }, body: (inout JSONWriter) -> Void
    ) {
        context.work -= bytes / 256
        let hasBody = status != 204 && status != 304
        begin(
            status, to: exchange, bytes: hasBody && !exchange.isHead ? bytes : 0, cache: cache,
            using: &context)
        if hasBody {
            outbound.writer.literal("Content-Type: ")
            outbound.writer.literal(type.text)
            outbound.writer.literal("\r\nContent-Length: ")
            outbound.writer.integer(Int64(bytes))
            outbound.writer.literal("\r\n")
        }
        fields(&outbound.writer)
        if !exchange.keepsAlive { outbound.writer.literal("Connection: close\r\n") }
        outbound.writer.literal("\r\n")
        if hasBody, !exchange.isHead { body(&outbound.writer) }
        endAnswer(exchange, using: context)
    }

    /// Writes the status line and the fields that every answer has.
    ///
    /// - Parameter bytes: The length of the body; `nil` for a stream.
    mutating func begin(
        _ status: Int, to exchange: Exchange, bytes: Int?, cache: StaticString = "no-store",
        using context: inout HTTPContext
    ) {
        context.countAnswer(status)
        if context.logsAnswers {
            entries.append(
                AnswerEntry(
                    status, of: exchange, bytes: bytes, milliseconds: context.now - since))
        }
        outbound.writer.literal("HTTP/1.1 ")
        outbound.writer.integer(Int64(status))
        outbound.writer.literal(" ")
        outbound.writer.literal(HTTPStatus.reason(status))
        outbound.writer.raw(context.fields)
        outbound.writer.literal(cache)
        outbound.writer.literal("\r\n")
        if let origin = exchange.origin {
            outbound.writer.literal("Access-Control-Allow-Origin: ")
            outbound.writer.raw(origin)
            outbound.writer.literal(
                "\r\nAccess-Control-Expose-Headers: ETag, Link, Location, Retry-After\r\n")
        }
        if !context.settings.origins.isEmpty { outbound.writer.literal("Vary: Origin\r\n") }
    }

    mutating func endAnswer(_ exchange: Exchange, using context: borrowing HTTPContext) {
        isBusy = false
        since = context.now
        if exchange.keepsAlive {
            phase = .ready
        } else {
            phase = .ended
            end = end ?? .httpClosed
        }
    }

    // MARK: Refusals

    /// Refuses a request of which only the head was accepted, or not even that. The connection
    /// ends, because a body may follow.
    mutating func refuse(
        _ refusal: Refusal, _ head: HTTPRequestHead?, using context: inout HTTPContext
    ) {
        var refusal = refusal
        let isWhole = head.map { $0.body == .none } ?? false
        if !isWhole { refusal.endsConnection = true }
        let exchange = Exchange(refused: head)
        exchange.origin = refusal.origin
        refuse(refusal, exchange, using: &context)
    }

    /// Refuses a request.
    mutating func refuse(
        _ refusal: Refusal, _ exchange: Exchange, using context: inout HTTPContext
    ) {
        if refusal.endsConnection { exchange.keepsAlive = false }
        respond(
            refusal.status, .problem, refusal.body(of: exchange.path), to: exchange,
            using: &context
        ) { writer in
            switch refusal.status {
            case 401: writer.literal("WWW-Authenticate: Bearer\r\n")
            case 405: writer.methods("Allow", refusal.allowed)
            case 426:
                writer.literal("Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\n")
            case 429, 503:
                writer.literal("Retry-After: ")
                writer.integer(max(1, ((refusal.retryAfter ?? 1_000) + 999) / 1_000))
                writer.literal("\r\n")
            default: break
            }
        }
        if refusal.endsConnection { end = .httpRefused }
    }

    // MARK: Answers without the line protocol

    /// Answers `OPTIONS`, also as the question of a browser about a page of another origin.
    mutating func answerOptions(
        _ methods: [HTTPMethod], _ exchange: Exchange, using context: inout HTTPContext
    ) {
        respond(204, .text, [], to: exchange, using: &context) { writer in
            writer.methods("Allow", methods)
            guard exchange.origin != nil else { return }
            writer.methods("Access-Control-Allow-Methods", methods)
            writer.literal(
                "Access-Control-Allow-Headers: Authorization, Content-Type, Idempotency-Key, ")
            writer.literal("If-Match, If-None-Match, Last-Event-ID, traceparent\r\n")
            writer.literal("Access-Control-Max-Age: ")
            writer.integer(Int64(HTTPLimits.preflightSeconds))
            writer.literal("\r\n")
        }
    }

    /// Answers with a file of the console.
    mutating func answerAsset(_ exchange: Exchange, using context: inout HTTPContext) {
        guard let asset = context.settings.assets[exchange.path] else {
            return refuse(Refusal(404, "there is no such file"), exchange, using: &context)
        }
        let isPacked = exchange.takesGzip && asset.packed.count < asset.bytes.count
        respond(
            200, .other(asset.type), isPacked ? asset.packed : asset.bytes, to: exchange,
            cache: exchange.route.action == .console
                ? "no-cache" : "public, max-age=31536000, immutable",
            using: &context
        ) { writer in
            if isPacked { writer.literal("Content-Encoding: gzip\r\n") }
            writer.literal("Vary: Accept-Encoding\r\n")
            guard exchange.route.action == .console else { return }
            writer.literal(HTTPAssets.policy)
        }
    }
}

extension JSONWriter {
    /// Appends a field with methods.
    fileprivate mutating func methods(_ name: StaticString, _ methods: [HTTPMethod]) {
        literal(name)
        literal(": ")
        for (place, method) in methods.enumerated() {
            if place > 0 { literal(", ") }
            raw(method.text.utf8)
        }
        literal("\r\n")
    }
}
