import Glibc
import GroveNetwork
import OrderedJSON

@testable import GroveServer

/// A client of plain blocking calls that can send any bytes and hang up in any way.
final class RawClient {
    struct Failure: Error {
        let text: String
    }

    private(set) var fd: Int32
    private var received: [UInt8] = []

    /// Connects and, by default, reads the greeting.
    init(_ address: SocketAddress, readsGreeting: Bool = true, receiveBytes: Int32? = nil) throws {
        fd = socket(address.family, Int32(SOCK_STREAM.rawValue), 0)
        if var bytes = receiveBytes {
            setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &bytes, 4)
        }
        let descriptor = fd
        guard address.withSystemAddress({ connect(descriptor, $0, $1) }) == 0 else {
            throw Failure(text: "connect: \(errno)")
        }
        if readsGreeting { _ = try line() }
    }

    deinit { hangUp() }

    func send(_ text: String) throws { try send(Array(text.utf8)) }

    func send(_ bytes: [UInt8]) throws { try Self.send(bytes, to: fd) }

    /// Sends on a descriptor, for a task other than the one that owns the client.
    static func send(_ bytes: [UInt8], to fd: Int32) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                Glibc.send(fd, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { throw Failure(text: "send: \(errno)") }
            rest = rest.dropFirst(count)
        }
    }

    /// Sends a line and reads one.
    func ask(_ text: String) throws -> String {
        try send(text + "\n")
        return try line()
    }

    /// Repeats a request until the answer is as expected. The suite's time limit ends it.
    func poll(_ request: String, until holds: (String) throws -> Bool) async throws {
        while try !holds(try ask(request)) { await Task.yield() }
    }

    /// Waits for the next line and returns it without its newline.
    func line() throws -> String {
        guard let line = try lineOrEnd() else { throw Failure(text: "the connection ended") }
        return line
    }

    /// Returns the next line; `nil` at the end of the stream.
    func lineOrEnd() throws -> String? {
        while true {
            if let newline = received.firstIndex(of: 10) {
                let line = String(decoding: received[..<newline], as: UTF8.self)
                received.removeSubrange(...newline)
                return line
            }
            guard try receive() else { return nil }
        }
    }

    /// Waits for a number of bytes, and returns them.
    func bytes(_ count: Int) throws -> [UInt8] {
        while received.count < count {
            guard try receive() else { throw Failure(text: "the connection ended") }
        }
        defer { received.removeFirst(count) }
        return Array(received[..<count])
    }

    /// The number of bytes of an unfinished line that came before the end.
    var unfinished: Int { received.count }

    private func receive() throws -> Bool {
        var descriptor = pollfd(fd: fd, events: Int16(POLLIN), revents: 0)
        guard Glibc.poll(&descriptor, 1, 20_000) > 0 else { throw Failure(text: "nothing came") }
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let count = read(fd, &buffer, buffer.count)
        if count < 0, errno == ECONNRESET { return false }
        guard count >= 0 else { throw Failure(text: "read: \(errno)") }
        received += buffer[..<count]
        return count > 0
    }

    /// Waits until the server closes the connection, and discards all bytes before.
    func reachesEnd() throws -> Bool {
        while try receive() { received.removeAll() }
        return true
    }

    /// Ends both directions, and every call that waits on the socket in another thread, for which
    /// closing it would do nothing.
    func shutdownBoth() { shutdown(fd, Int32(SHUT_RDWR)) }

    func shutdownWrite() { shutdown(fd, Int32(SHUT_WR)) }

    func hangUp() {
        if fd >= 0 { close(fd) }
        fd = -1
    }

    /// Hangs up with a reset instead of a normal close.
    func reset() {
        var option = linger(l_onoff: 1, l_linger: 0)
        setsockopt(fd, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
        hangUp()
    }
}

extension String {
    /// Returns a member of this line's JSON object.
    func json(_ name: String) throws -> JSONValue? {
        try JSONValue(parsing: Array(utf8)).object?[name]
    }
}
