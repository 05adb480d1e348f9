import Foundation
import Glibc
import GroveTestSupport
import Synchronization

/// Accepts charges and refunds over HTTP/1.1, as unreliably as real payment servers. Depending on
/// the seed it is slow, answers 503, declines, or hangs up, before an answer or in the middle of
/// one. It records each request before it answers.
///
/// One thread accepts connections, and each connection has its own thread. All end with ``stop()``.
final class PaymentServer: Sendable {
    /// One complete request.
    struct Request: Sendable, Hashable {
        var key: String
        var method: String
        var path: String
        var body: String
        /// The status of the answer, if a complete one was sent.
        var answer: Int?
    }

    /// How the server answers a request.
    private enum Conduct {
        case answer(Int, afterMilliseconds: UInt32)
        case hangUp(sending: String)
    }

    private struct Record {
        var requests: [Request] = []
        var counts: [String: UInt64] = [:]
        var open: Set<Int32> = []
        var isReliable = false
        var isClosed = false
    }

    let port: UInt16
    private let listener: Int32
    private let seed: UInt64
    private let record: Mutex<Record>

    /// The URL for charges. A refund goes to the same URL with `/refund` appended.
    var url: String { "http://127.0.0.1:\(port)/charge" }

    /// The requests in order of arrival.
    var requests: [Request] { record.withLock { $0.requests } }

    /// Listens on a port that the system chooses.
    init(seed: UInt64) throws {
        (listener, port) = try PaymentServer.listen()
        self.seed = seed
        record = Mutex(Record())
    }

    /// Starts to accept connections; call once.
    func start() {
        Thread.detachNewThread { [self] in
            while true {
                let descriptor = accept(listener, nil, nil)
                guard descriptor >= 0 else { break }
                let isWelcome = record.withLock { record in
                    if !record.isClosed { record.open.insert(descriptor) }
                    return !record.isClosed
                }
                guard isWelcome else {
                    close(descriptor)
                    continue
                }
                Thread.detachNewThread { self.serve(descriptor) }
            }
            close(listener)
        }
    }

    /// Makes the server answer every request at once with 200, except those that it must decline.
    func becomeReliable() { record.withLock { $0.isReliable = true } }

    /// Wakes all threads so that they end.
    func stop() {
        record.withLock { record in
            record.isClosed = true
            for descriptor in record.open { shutdown(descriptor, Int32(SHUT_RDWR)) }
        }
        shutdown(listener, Int32(SHUT_RDWR))
    }

    // MARK: A connection

    private func serve(_ descriptor: Int32) {
        var reader = RequestReader(descriptor: descriptor)
        while let request = reader.next() {
            let (index, conduct) = note(request)
            guard perform(conduct, on: descriptor, index) else { break }
        }
        record.withLock { _ = $0.open.remove(descriptor) }
        close(descriptor)
    }

    private func note(_ request: Request) -> (index: Int, Conduct) {
        record.withLock { record in
            record.requests.append(request)
            let earlier = record.counts[request.key, default: 0]
            record.counts[request.key] = earlier + 1
            return (
                record.requests.count - 1,
                conduct(request, earlier: earlier, isReliable: record.isReliable)
            )
        }
    }

    /// Returns how to answer a request. The n-th request of one effect is always answered the same
    /// way. The choice is drawn from the body, because keys contain the data file's random number.
    private func conduct(_ request: Request, earlier: UInt64, isReliable: Bool) -> Conduct {
        let text = request.path + request.body
        let hash = text.utf8.reduce(seed) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
        var random = SeededRandom(seed: hash &+ earlier)
        let fate = Int.random(in: 0..<100, using: &random)
        let pause = UInt32.random(in: 20...300, using: &random)
        let isDeclined = request.body.contains(PaymentServer.declinedMark)
        let status = isDeclined && !request.path.hasSuffix("/refund") ? 402 : 200
        if isReliable { return .answer(status, afterMilliseconds: 0) }
        return switch fate {
        case 0..<15: .answer(503, afterMilliseconds: 0)
        case 15..<22: .hangUp(sending: "")
        case 22..<28: .hangUp(sending: "HTTP/1.1 200 OK\r\ncontent-length: 12\r\n\r\n{\"ok\"")
        case 28..<60: .answer(status, afterMilliseconds: pause)
        default: .answer(status, afterMilliseconds: 0)
        }
    }

    /// The part of an order's name that makes its charge declined.
    static let declinedMark = "declined"

    /// Answers a request. Returns whether the connection continues.
    private func perform(_ conduct: Conduct, on descriptor: Int32, _ index: Int) -> Bool {
        switch conduct {
        case .hangUp(let text):
            _ = PaymentServer.write(text, to: descriptor)
            return false
        case .answer(let status, let pause):
            // The pause simulates a slow server; it waits for nothing.
            if pause > 0 { usleep(pause * 1_000) }
            let text = "HTTP/1.1 \(status) Answer\r\ncontent-length: 11\r\n\r\n{\"ok\":true}"
            // Recorded first, so that an answer that reached the server is always in the record.
            record.withLock { $0.requests[index].answer = status }
            return PaymentServer.write(text, to: descriptor)
        }
    }

    private static func write(_ text: String, to descriptor: Int32) -> Bool {
        let bytes = Array(text.utf8)
        return send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count
    }

    private static func listen() throws -> (descriptor: Int32, port: UInt16) {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let status = withUnsafeMutablePointer(to: &address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(descriptor, address, length) | Glibc.listen(descriptor, 256)
                    | getsockname(descriptor, address, &length)
            }
        }
        guard status == 0 else { throw TestProblem("no port to listen on: errno \(errno)") }
        return (descriptor, UInt16(bigEndian: address.sin_port))
    }
}

/// Reads the requests of a connection one after the other. They have a `content-length`.
private struct RequestReader {
    let descriptor: Int32
    private var buffer: [UInt8] = []

    init(descriptor: Int32) { self.descriptor = descriptor }

    /// Returns the next request; `nil` if the client is gone, even in the middle of a request.
    mutating func next() -> PaymentServer.Request? {
        while true {
            if let end = endOfHead(), let request = take(head: end) { return request }
            var chunk = [UInt8](repeating: 0, count: 1 << 14)
            let count = recv(descriptor, &chunk, chunk.count, 0)
            guard count > 0 else { return nil }
            buffer += chunk[..<count]
        }
    }

    private func endOfHead() -> Int? {
        let mark = Array("\r\n\r\n".utf8)
        guard buffer.count >= 4 else { return nil }
        return (0...buffer.count - 4).first { buffer[$0..<$0 + 4].elementsEqual(mark) }
    }

    private mutating func take(head end: Int) -> PaymentServer.Request? {
        let head = String(decoding: buffer[..<end], as: UTF8.self)
        let lines = head.components(separatedBy: "\r\n")
        var headers: [String: String] = [:]
        for line in lines.dropFirst() {
            guard let colon = line.firstIndex(of: ":") else { continue }
            headers[line[..<colon].lowercased()] =
                line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
        }
        let length = headers["content-length"].flatMap { Int($0) } ?? 0
        guard buffer.count >= end + 4 + length else { return nil }
        let body = String(decoding: buffer[(end + 4)..<(end + 4 + length)], as: UTF8.self)
        buffer.removeFirst(end + 4 + length)
        let words = lines[0].split(separator: " ").map(String.init)
        return PaymentServer.Request(
            key: headers["idempotency-key"] ?? "", method: words.first ?? "",
            path: words.count > 1 ? words[1] : "", body: body)
    }
}
