import GroveWire
import OrderedJSON

/// Lines as messages of WebSocket (RFC 6455): each text message is one line without its newline.
extension HTTPConnection {
    mutating func openSocket(_ exchange: Exchange, using context: inout HTTPContext) {
        begin(101, to: exchange, bytes: nil, using: &context)
        outbound.writer.literal(
            "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Accept: ")
        outbound.writer.raw(exchange.socketAnswer ?? [])
        if exchange.namesProtocol {
            outbound.writer.literal("\r\nSec-WebSocket-Protocol: ")
            outbound.writer.raw(HTTPRoute.subprotocol.utf8)
        }
        outbound.writer.literal("\r\n\r\n")
        isBusy = false
        phase = .socket(WebSocketReader(messageBytesMax: context.settings.bodyBytesMax))
    }

    /// Collects the messages of a chunk as lines.
    mutating func nextMessages(
        in chunk: UnsafeRawBufferPointer, from position: inout Int,
        using context: inout HTTPContext
    ) -> Action? {
        guard case .socket(var reader) = phase else { return nil }
        phase = .ended
        defer { if case .ended = phase, end == nil { phase = .socket(reader) } }
        var hasAnswered = false
        context.lines.bytes.removeAll(
            keepingCapacity: context.lines.bytes.capacity <= OutboundBuffer.keptBytesMax)
        var slice = UnsafeRawBufferPointer(rebasing: chunk[..<position])
        read: while context.work > 0 {
            if position == slice.count, position < chunk.count {
                let end = min(chunk.count, position + HTTPLimits.messageSliceBytes)
                slice = UnsafeRawBufferPointer(rebasing: chunk[..<end])
                context.work -= HTTPLimits.workPerMessageSlice
            }
            context.work -= 1
            switch reader.next(in: slice, from: &position) {
            case .needsMore:
                if position == chunk.count { break read }
            case .text:
                since = context.now
                context.lines.raw(reader.message)
                context.lines.bytes.append(0x0A)
            case .ping: WebSocketWriter.appendPong(reader.control, to: &outbound.writer.bytes)
            case .pong:
                hasAnswered = true
            case .close(let code):
                WebSocketWriter.appendClose(
                    code: code ?? 1_000, reason: "", to: &outbound.writer.bytes)
                end = .httpClosed
                break read
            case .failure(let failure):
                WebSocketWriter.appendClose(
                    code: failure.code, reason: failure.reason, to: &outbound.writer.bytes)
                end = failure.code == 1_009 ? .lineFlood : .httpRefused
                break read
            }
        }
        if reader.isInsideMessage != isBusy {
            isBusy.toggle()
            since = context.now
        }
        if context.lines.bytes.isEmpty, !hasAnswered { return nil }
        return context.lines.bytes.isEmpty ? .answered : .lines
    }

    mutating func translate(lineForSocket line: UnsafeRawBufferPointer) {
        // Browsers answer pings of WebSocket by themselves, also in a tab that sleeps.
        let ping: StaticString = #"{"op":"ping","t":"#
        if ping.withUTF8Buffer({ line.prefix($0.count).elementsEqual($0) }) {
            let digits = line[ping.utf8CodeUnitCount...].prefix { (0x30...0x39).contains($0) }
            return WebSocketWriter.appendPing(Array(digits), to: &outbound.writer.bytes)
        }
        WebSocketWriter.appendHeader(
            opcode: .text, payloadBytes: line.count, to: &outbound.writer.bytes)
        outbound.writer.bytes.append(contentsOf: line)
    }

    /// Says why the server closes.
    mutating func closeSocket(_ reason: CloseReason) {
        let code =
            switch reason {
            case .serverShutdown: 1_001
            case .slowConsumer, .connectionLimit: 1_013
            case .lineFlood: 1_009
            case .unauthenticated, .revoked, .expired, .heartbeatTimeout, .lineTimeout: 1_008
            case .clientClosed, .httpClosed: 1_000
            default: 1_002
            }
        WebSocketWriter.appendClose(
            code: code, reason: reason.rawValue, to: &outbound.writer.bytes)
    }
}
