import Glibc

/// The client's side of a WebSocket on a blocking socket, as far as tests of lines need it: each
/// line is a message, both ways.
final class BlockingWebSocket {
    private let descriptor: Int32
    private var unsent: [UInt8] = []
    private var received: [UInt8] = []
    private var masks: UInt32 = 0x1234_5678

    /// Opens it on a connected socket.
    ///
    /// - Throws: ``TestProblem`` if the server doesn't agree.
    init(_ descriptor: Int32) throws {
        self.descriptor = descriptor
        let request = """
            GET /v1/socket HTTP/1.1\r
            Host: localhost\r
            Connection: Upgrade\r
            Upgrade: websocket\r
            Sec-WebSocket-Version: 13\r
            Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r
            \r

            """
        try write(Array(request.utf8))
        let end = Array("\r\n\r\n".utf8)
        while true {
            guard try fill() else { throw TestProblem("no answer to the handshake") }
            guard let place = received.indices.first(where: { received[$0...].starts(with: end) })
            else { continue }
            let head = String(decoding: received[..<place], as: UTF8.self)
            guard head.hasPrefix("HTTP/1.1 101 "),
                head.contains("Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")
            else { throw TestProblem("the handshake failed: \(head)") }
            received.removeFirst(place + end.count)
            return
        }
    }

    /// Sends each whole line as a message; the rest of a line waits for its end.
    func send(_ bytes: [UInt8]) throws {
        unsent += bytes
        var frames: [UInt8] = []
        while let end = unsent.firstIndex(of: 10) {
            frames += frame(0x81, Array(unsent[..<end]))
            unsent.removeFirst(end + 1)
        }
        try write(frames)
    }

    /// Whether the server has closed.
    private(set) var isClosed = false

    /// The messages that have come, as lines.
    func takeMessages() throws -> [UInt8] {
        var lines: [UInt8] = []
        while let (opcode, payload) = takeFrame() {
            switch opcode {
            case 0x1: lines += payload + [10]
            case 0x8: isClosed = true
            case 0x9: try write(frame(0x8A, payload))
            default: throw TestProblem("what frame is \(opcode)?")
            }
        }
        return lines
    }

    /// Waits for more bytes, and returns the messages that are complete then; `nil` at the end.
    func receive() throws -> [UInt8]? {
        guard !isClosed, try fill() else { return nil }
        let lines = try takeMessages()
        return lines.isEmpty && isClosed ? nil : lines
    }

    private func takeFrame() -> (UInt8, [UInt8])? {
        guard received.count >= 2 else { return nil }
        var count = Int(received[1] & 0x7F)
        var begin = 2
        if count >= 126 {
            let wide = count == 126 ? 2 : 8
            guard received.count >= 2 + wide else { return nil }
            count = received[2..<2 + wide].reduce(0) { $0 << 8 | Int($1) }
            begin += wide
        }
        guard received.count >= begin + count else { return nil }
        defer { received.removeFirst(begin + count) }
        return (received[0] & 0x0F, Array(received[begin..<begin + count]))
    }

    private func frame(_ first: UInt8, _ payload: [UInt8]) -> [UInt8] {
        var frame = [first]
        switch payload.count {
        case ..<126: frame.append(0x80 | UInt8(payload.count))
        case ..<65_536:
            frame += [0xFE, UInt8(payload.count >> 8), UInt8(payload.count & 0xFF)]
        default:
            frame.append(0xFF)
            frame += (0..<8).reversed().map { UInt8(truncatingIfNeeded: payload.count >> ($0 * 8)) }
        }
        masks = masks &* 1_664_525 &+ 1_013_904_223
        let mask = (0..<4).map { UInt8(truncatingIfNeeded: masks >> ($0 * 8)) }
        frame += mask
        frame += payload.enumerated().map { $0.element ^ mask[$0.offset & 3] }
        return frame
    }

    private func write(_ bytes: [UInt8]) throws {
        try LineClient.send(bytes, to: descriptor)
    }

    private func fill() throws -> Bool {
        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        let count = recv(descriptor, &chunk, chunk.count, 0)
        guard count > 0 else { return false }
        received += chunk[..<count]
        return true
    }
}
