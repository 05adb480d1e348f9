import Glibc
public import GroveTLS

/// A simple client like `nc`: one blocking socket that sends and receives lines.
public final class LineClient {
    private let descriptor: Int32
    private var tls: BlockingTLS?
    private var webSocket: BlockingWebSocket?
    private var buffer: [UInt8] = []
    private var begin = 0

    /// Connects to a port of this computer, through TLS if there is a context for it, and reads the
    /// greeting.
    ///
    /// - Throws: ``TestProblem`` if no server listens or nothing comes.
    public convenience init(
        port: UInt16, tls: TLSContext? = nil, readsGreeting: Bool = true
    ) throws {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        try self.init(&address, AF_INET, readsGreeting: readsGreeting && tls == nil)
        var one: Int32 = 1
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &one, 4)
        guard let tls else { return }
        let channel = try BlockingTLS(descriptor, tls)
        self.tls = channel
        buffer += channel.early
        if readsGreeting { _ = try readLine() }
    }

    /// Opens a WebSocket at a port of this computer, and reads the greeting.
    ///
    /// - Throws: ``TestProblem`` if no server listens or nothing comes.
    public convenience init(webSocketPort port: UInt16, readsGreeting: Bool = true) throws {
        try self.init(port: port, readsGreeting: false)
        let webSocket = try BlockingWebSocket(descriptor)
        buffer += try webSocket.takeMessages()
        self.webSocket = webSocket
        if readsGreeting { _ = try readLine() }
    }

    /// Connects to a Unix socket and reads the greeting.
    ///
    /// - Throws: ``TestProblem`` if no server listens or nothing comes.
    public convenience init(path: String, readsGreeting: Bool = true) throws {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) {
            $0.copyBytes(from: path.utf8.prefix($0.count - 1))
        }
        try self.init(&address, AF_UNIX, readsGreeting: readsGreeting)
    }

    private init<Address>(
        _ address: inout Address, _ family: Int32, readsGreeting: Bool
    ) throws {
        descriptor = socket(family, Int32(SOCK_STREAM.rawValue), 0)
        guard descriptor >= 0 else { throw TestProblem("no socket: errno \(errno)") }
        let descriptor = descriptor
        let status = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<Address>.size))
            }
        }
        guard status == 0 else { throw TestProblem("no connection: errno \(errno)") }
        if readsGreeting { _ = try readLine() }
    }

    deinit { close(descriptor) }

    /// Sends bytes unchanged.
    ///
    /// - Throws: ``TestProblem`` if the connection is gone.
    public func send(bytes: [UInt8]) throws {
        if let tls { return try tls.send(bytes) }
        if let webSocket { return try webSocket.send(bytes) }
        try Self.send(bytes, to: descriptor)
    }

    /// Sends all bytes on a blocking socket.
    static func send(_ bytes: [UInt8], to descriptor: Int32) throws {
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { throw TestProblem("the connection is gone: errno \(errno)") }
            sent += count
        }
    }

    /// Sends lines and adds a newline to each.
    public func send(_ lines: String...) throws {
        try send(bytes: Array((lines.joined(separator: "\n") + "\n").utf8))
    }

    /// Returns the next line without its newline; `nil` at the end of the stream.
    ///
    /// - Throws: ``TestProblem`` if nothing comes within `milliseconds`.
    public func readLineIfAny(milliseconds: Int32 = 60_000) throws -> String? {
        while true {
            if let end = buffer[begin...].firstIndex(of: UInt8(ascii: "\n")) {
                let line = String(decoding: buffer[begin..<end], as: UTF8.self)
                begin = end + 1
                if begin > 1 << 16 {
                    buffer.removeFirst(begin)
                    begin = 0
                }
                return line
            }
            guard try fill(milliseconds: milliseconds) else { return nil }
        }
    }

    /// Returns the next line without its newline.
    public func readLine(milliseconds: Int32 = 60_000) throws -> String {
        guard let line = try readLineIfAny(milliseconds: milliseconds) else {
            throw TestProblem("the server closed the connection")
        }
        return line
    }

    /// Whether a line arrives within `milliseconds`.
    public func hasLine(milliseconds: Int32 = 0) throws -> Bool {
        if buffer[begin...].contains(UInt8(ascii: "\n")) { return true }
        var poll = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        guard Glibc.poll(&poll, 1, milliseconds) == 1 else { return false }
        guard try fill(milliseconds: milliseconds) else { return false }
        return buffer[begin...].contains(UInt8(ascii: "\n"))
    }

    /// Shuts down the sending side.
    public func shutdownWrite() {
        // A client that is gone is seen when it is read.
        try? tls?.endSending()
        shutdown(descriptor, Int32(SHUT_WR))
    }

    /// Whether the stream has ended without the end of TLS.
    public private(set) var wasCutOff = false

    /// The version of TLS that both sides speak, such as `TLSv1.3`; `nil` for plaintext.
    public var version: String? { tls?.version }

    private func fill(milliseconds: Int32) throws -> Bool {
        var poll = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        guard Glibc.poll(&poll, 1, milliseconds) == 1 else {
            throw TestProblem("nothing came for \(milliseconds) ms")
        }
        if let webSocket {
            guard let line = try webSocket.receive() else { return false }
            buffer += line
            return true
        }
        if let tls {
            do {
                guard let plaintext = try tls.receive() else { return false }
                buffer += plaintext
                return true
            } catch let failure as TLSFailure where failure.kind == .cutOff {
                wasCutOff = true
                return false
            }
        }
        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        let count = recv(descriptor, &chunk, chunk.count, 0)
        guard count > 0 else { return false }
        buffer.append(contentsOf: chunk[..<count])
        return true
    }
}
