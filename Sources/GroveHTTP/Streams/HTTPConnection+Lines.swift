import GroveWire
import OrderedJSON

/// Lines of the line protocol as bytes for the client.
extension HTTPConnection {
    /// The beginning of a reply to the present request.
    private static let success: StaticString = #"{"id":0,"ok":true"#

    /// Turns whole lines into bytes for the client, until enough of them wait for the socket.
    ///
    /// - Parameter lines: Whole lines, in their order.
    /// - Returns: The bytes that were turned.
    package mutating func translate(
        _ lines: UnsafeRawBufferPointer, using context: inout HTTPContext
    ) -> Int {
        var position = 0
        while position < lines.count, acceptsLines {
            guard let end = ByteScan.newline(in: lines, from: position) else {
                preconditionFailure("the line protocol writes whole lines")
            }
            translate(
                line: UnsafeRawBufferPointer(rebasing: lines[position..<end]), using: &context)
            position = end + 1
        }
        return position
    }

    private mutating func translate(
        line: UnsafeRawBufferPointer, using context: inout HTTPContext
    ) {
        switch phase {
        case .socket: translate(lineForSocket: line)
        case .records(let stream): translate(line, for: stream)
        case .identifying(let exchange): translate(line, identifying: exchange, using: &context)
        case .waiting(let exchange): translate(line, answering: exchange, using: &context)
        case .copying(let exchange, let transfer):
            translate(line, copying: exchange, transfer, using: &context)
        // A notice for which no request waits, such as a heartbeat.
        case .ready, .admitting, .reading, .ordering, .drawing, .ended: break
        }
    }

    private mutating func translate(
        _ line: UnsafeRawBufferPointer, for stream: RecordStream
    ) {
        if let rest = line.after(RecordStream.recordStart) {
            stream.append(rest, to: &outbound.writer)
        } else if line.begins(with: #"{"op":"ping""#) {
            stream.beat(&outbound.writer)
        } else if line.begins(with: #"{"op":"draining""#) {
            stream.end(&outbound.writer)
            phase = .ended
            end = .serverShutdown
        }
    }

    private mutating func translate(
        _ line: UnsafeRawBufferPointer, identifying exchange: Exchange,
        using context: inout HTTPContext
    ) {
        if line.begins(with: Self.success) {
            phase = .admitting(exchange)
        } else if line.begins(with: #"{"id""#) {
            token = nil
            fail(line, exchange, endsConnection: true, using: &context)
        }
    }

    private mutating func translate(
        _ line: UnsafeRawBufferPointer, answering exchange: Exchange,
        using context: inout HTTPContext
    ) {
        if exchange.route.action == .greeting, let rest = line.after(#"{"op":"hello","#) {
            var body = [UInt8(ascii: "{")]
            body.append(contentsOf: rest)
            respond(200, .json, body, to: exchange, using: &context)
        } else if let rest = line.after(Self.success) {
            succeed(rest, exchange, using: &context)
        } else if line.begins(with: #"{"id""#) {
            // An answer to no request is about the connection, which ends.
            let endsConnection = line.begins(with: #"{"id":null"#)
            fail(line, exchange, endsConnection: endsConnection, using: &context)
        }
    }

    private mutating func translate(
        _ line: UnsafeRawBufferPointer, copying exchange: Exchange, _ transfer: BackupTransfer,
        using context: inout HTTPContext
    ) {
        if let rest = line.after(Self.success) {
            translate(backup: Self.object(rest), exchange, transfer, using: &context)
        } else if transfer.length == nil, line.begins(with: #"{"id""#) {
            fail(line, exchange, endsConnection: false, using: &context)
        } else if line.begins(with: #"{"id""#) {
            translate(backup: nil, exchange, transfer, using: &context)
        }
    }

    /// The members of a reply, as an object.
    ///
    /// - Parameter rest: The line after `"ok":true`.
    private static func object(_ rest: UnsafeRawBufferPointer) -> [UInt8] {
        var object: [UInt8] = []
        object.reserveCapacity(rest.count + 1)
        object.append(UInt8(ascii: "{"))
        object.append(contentsOf: members(rest))
        return object
    }

    /// The members of a reply with the bracket that ends them, without the comma before them.
    private static func members(_ rest: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: rest.dropFirst(rest.count > 1 ? 1 : 0))
    }

    // MARK: Replies

    /// Answers with the fields of a reply.
    ///
    /// - Parameter rest: The line after `"ok":true`.
    private mutating func succeed(
        _ rest: UnsafeRawBufferPointer, _ exchange: Exchange, using context: inout HTTPContext
    ) {
        switch exchange.route.action {
        case .records: return openRecords(exchange, using: &context)
        case .op(.send):
            let members = Self.members(rest)
            return respond(
                200, .json, bytes: members.count + 1, to: exchange, using: &context
            ) {
                $0.literal("{")
                $0.raw(members)
            }
        default: break
        }
        let body = Self.object(rest)
        switch exchange.route.action {
        case .metrics:
            respond(
                200, .metrics, context.settings.metricsText(body), to: exchange,
                using: &context)
        case .diagram: order(from: body, exchange, using: &context)
        case .backup: openBackup(body, exchange, using: &context)
        case .op(.get): answerGet(body, exchange, using: &context)
        case .op(.create):
            let isRepeat = member("dup", of: body, { $0.bool($1) }, &context) ?? false
            respond(isRepeat ? 200 : 201, .json, body, to: exchange, using: &context) {
                $0.literal("Location: ")
                $0.raw(exchange.path)
                $0.literal("\r\n")
            }
        case .op where exchange.route.isPage:
            answerPage(body, exchange, using: &context)
        default: respond(200, .json, body, to: exchange, using: &context)
        }
    }

    /// Answers with an instance. Its tag has the version for `If-Match`, and a hash, because
    /// effects change the body without a version.
    private mutating func answerGet(
        _ body: [UInt8], _ exchange: Exchange, using context: inout HTTPContext
    ) {
        let version = member("v", of: body, { $0.integer($1) }, &context) ?? 0
        let hash = body.withUnsafeBytes { ByteHash.of($0) }
        let tag = Array("\"\(version).\(String(hash, radix: 16))\"".utf8)
        let isKnown = exchange.cached.map { Self.names(tag, in: $0) } ?? false
        respond(
            isKnown ? 304 : 200, .json, body, to: exchange, cache: "no-cache", using: &context
        ) {
            $0.literal("ETag: ")
            $0.raw(tag)
            $0.literal("\r\n")
        }
    }

    /// Whether `If-None-Match` has a tag: `*`, or one in its list.
    static func names(_ tag: [UInt8], in list: [UInt8]) -> Bool {
        list == [UInt8(ascii: "*")]
            || list.split(separator: UInt8(ascii: ",")).contains { part in
                let text = part.filter { $0 != 0x20 && $0 != 0x09 }
                return text == tag || text.starts(with: "W/".utf8) && text.dropFirst(2) == tag[...]
            }
    }

    /// Answers with a page, and a link to the next one.
    private mutating func answerPage(
        _ body: [UInt8], _ exchange: Exchange, using context: inout HTTPContext
    ) {
        let next = member(
            "next", of: body, { $0.string($1) ?? $0.integer($1).map { "\($0)" } }, &context)
        respond(200, .json, body, to: exchange, using: &context) { writer in
            guard let next else { return }
            writer.literal("Link: <")
            writer.raw(exchange.path)
            var separator = UInt8(ascii: "?")
            let rest = exchange.query.filter { $0.parameter.name != "after" }
                .map { ($0.parameter.name, $0.value) }
            for (name, value) in rest + [("after", next)] {
                writer.bytes.append(separator)
                writer.raw(name.utf8)
                writer.bytes.append(UInt8(ascii: "="))
                writer.raw(PercentEscape.of(value))
                separator = UInt8(ascii: "&")
            }
            writer.literal(">; rel=\"next\"\r\n")
        }
    }

    func member<Value>(
        _ name: StaticString, of body: [UInt8],
        _ read: (JSONDocument, JSONDocument.Node) -> Value?, _ context: inout HTTPContext
    ) -> Value? {
        do throws(JSONError) {
            try context.document.parse(body, limits: .stored)
        } catch {
            preconditionFailure("the line protocol writes JSON: \(error)")
        }
        return context.document.member(name, of: context.document.root).flatMap {
            read(context.document, $0)
        }
    }

    /// Answers with the error of a reply.
    private mutating func fail(
        _ line: UnsafeRawBufferPointer, _ exchange: Exchange, endsConnection: Bool,
        using context: inout HTTPContext
    ) {
        do throws(JSONError) {
            try context.document.parse(line, limits: .stored)
        } catch {
            preconditionFailure("the line protocol writes JSON: \(error)")
        }
        guard let error = context.document.member("error", of: context.document.root) else {
            return
        }
        var refusal = Refusal(context.document, error, of: exchange)
        refusal.endsConnection = endsConnection || endsWithAnswer
        refuse(refusal, exchange, using: &context)
    }

    // MARK: Streams

    private mutating func openRecords(_ exchange: Exchange, using context: inout HTTPContext) {
        let stream = RecordStream(
            areEvents: !exchange.query.contains {
                $0.parameter.name == "format" && $0.value == "lines"
            },
            isChunked: !exchange.isVersion10)
        begin(200, to: exchange, bytes: nil, using: &context)
        outbound.writer.literal("Content-Type: ")
        outbound.writer.literal(
            stream.areEvents ? RecordStream.eventStreamType : RecordStream.linesType)
        outbound.writer.literal(
            stream.isChunked ? "\r\nTransfer-Encoding: chunked\r\n" : "\r\nConnection: close\r\n")
        // nginx would keep records back.
        outbound.writer.literal("X-Accel-Buffering: no\r\n\r\n")
        stream.begin(&outbound.writer)
        isBusy = false
        phase = .records(stream)
    }

    /// Ends what is still open, before the connection is closed for a reason of the line protocol.
    package mutating func finish(_ reason: CloseReason, using context: inout HTTPContext) {
        switch phase {
        case .records(let stream): stream.end(&outbound.writer)
        case .socket: closeSocket(reason)
        case .identifying(let exchange), .admitting(let exchange), .reading(let exchange):
            if let refusal = Refusal(ending: reason) { refuse(refusal, exchange, using: &context) }
        case .waiting(let exchange) where reason == .serverShutdown:
            refuse(
                Refusal(503, "the server is shutting down; what became of the request isn't known"),
                exchange, using: &context)
        case .ordering(let exchange, _), .drawing(let exchange, _):
            if let refusal = Refusal(ending: reason) { refuse(refusal, exchange, using: &context) }
        case .copying(let exchange, let transfer):
            if transfer.length == nil, let refusal = Refusal(ending: reason) {
                refuse(refusal, exchange, using: &context)
            }
        case .ready where parser.isInsideRequest:
            if let refusal = Refusal(ending: reason) { refuse(refusal, nil, using: &context) }
        case .waiting, .ready, .ended: break
        }
        phase = .ended
        end = reason
    }

    // MARK: Time

    /// Checks the times of the connection. Call it about once per second.
    package mutating func tick(using context: inout HTTPContext) {
        guard end == nil else { return }
        let age = context.now - since
        switch phase {
        case .ready, .reading, .admitting:
            if isBusy || !isUsed {
                guard age >= context.settings.requestMilliseconds else { return }
                refuse(
                    Refusal(408, "the request didn't come in time"), nil, using: &context)
                end = .lineTimeout
            } else if age >= context.settings.idleMilliseconds {
                end = .idle
            }
        case .socket where isBusy && age >= context.settings.requestMilliseconds:
            finish(.lineTimeout, using: &context)
        case .copying(let exchange, var transfer):
            transfer.isDue = true
            phase = .copying(exchange, transfer)
        case .identifying, .waiting, .ordering, .drawing, .records, .socket, .ended: break
        }
        if outbound.isEmpty { outbound.releaseIdleMemory() }
        parser.releaseIdleMemory()
        if case .socket(var reader) = phase {
            phase = .ended
            reader.releaseIdleMemory()
            phase = .socket(reader)
        }
    }
}
