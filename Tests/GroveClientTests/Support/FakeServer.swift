import Dispatch
import Foundation
import GroveClient
import GroveTestSupport
import OrderedJSON
import Synchronization

/// A server that plays a script: the first connection gets the first script, the second the
/// second, and so on; connections beyond the last script are closed at once. Nothing in it
/// sleeps; a read that lasts more than a minute fails the script.
final class FakeServer: Sendable {
    /// The script of one connection.
    typealias Script = @Sendable (FakeConnection) throws -> Void

    /// Its address: a free port of this machine, or a socket in the file system.
    let address: ServerAddress
    private let listener: Int32
    private let progress: Progress

    /// The results of the scripts' threads.
    private final class Progress: Sendable {
        let failures = Mutex([String]())
        let done = DispatchGroup()
    }

    /// Listens and plays the scripts.
    convenience init(_ scripts: Script...) throws {
        let (listener, port) = try FakeServer.listen()
        self.init(listener, at: .tcp(host: "127.0.0.1", port: port), scripts)
    }

    /// Listens at a path that doesn't exist yet, and plays the scripts.
    convenience init(path: String, _ scripts: Script...) throws {
        self.init(try FakeServer.listen(path: path), at: .unix(path: path), scripts)
    }

    private init(_ listener: Int32, at address: ServerAddress, _ scripts: [Script]) {
        let progress = Progress()
        self.listener = listener
        self.progress = progress
        self.address = address
        for _ in scripts { progress.done.enter() }
        Thread.detachNewThread { FakeServer.accept(listener, scripts, progress) }
    }

    /// Wakes the thread that accepts, which closes the listener.
    deinit { shutdown(listener, Int32(SHUT_RDWR)) }

    /// Listens at a free port of the loopback interface.
    static func listen(backlog: Int32 = 64) throws -> (fd: Int32, port: UInt16) {
        let fd = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let status = withUnsafeMutableBytes(of: &address) { bytes in
            bytes.withMemoryRebound(to: sockaddr.self) { address in
                guard let base = address.baseAddress else { return Int32(-1) }
                return bind(fd, base, length) | Glibc.listen(fd, backlog)
                    | getsockname(fd, base, &length)
            }
        }
        guard status == 0 else { throw FakeServerError(text: "no port to listen on") }
        return (fd, UInt16(bigEndian: address.sin_port))
    }

    private static func listen(path: String) throws -> Int32 {
        let fd = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let length = socklen_t(MemoryLayout<sockaddr_un>.size)
        let status = withUnsafeBytes(of: &address) { bytes in
            bytes.withMemoryRebound(to: sockaddr.self) { address in
                bind(fd, address.baseAddress, length) | Glibc.listen(fd, 64)
            }
        }
        guard status == 0 else { throw FakeServerError(text: "no socket at \(path)") }
        return fd
    }

    private static func accept(_ listener: Int32, _ scripts: [Script], _ progress: Progress) {
        var rest = scripts[...]
        while true {
            let fd = Glibc.accept(listener, nil, nil)
            guard fd >= 0 else { break }
            guard let script = rest.popFirst() else {
                close(fd)
                continue
            }
            Thread.detachNewThread {
                do {
                    try script(FakeConnection(fd: fd))
                } catch {
                    progress.failures.withLock { $0.append("\(error)") }
                }
                progress.done.leave()
            }
        }
        close(listener)
        for _ in rest { progress.done.leave() }
    }

    /// Waits until every script has ended, without blocking a thread that tasks share.
    ///
    /// - Throws: The failure of a script, or that one never began.
    func finish() async throws {
        let done = progress.done
        let end = await onOwnThread { done.wait(timeout: .now() + 90) }
        guard end == .success else { throw FakeServerError(text: "a script was not finished") }
        let failures = progress.failures.withLock { $0 }
        if !failures.isEmpty { throw FakeServerError(text: failures.joined(separator: "\n")) }
    }
}

/// The reason for which a script failed.
struct FakeServerError: Error, CustomStringConvertible {
    let text: String
    var description: String { text }
}

/// The server's end of one connection. Closed when the script releases it.
final class FakeConnection {
    private let fd: Int32
    private var buffer: [UInt8] = []

    init(fd: Int32) {
        self.fd = fd
        var yes: Int32 = 1
        setsockopt(
            fd, Int32(IPPROTO_TCP), TCP_NODELAY, &yes, socklen_t(MemoryLayout<Int32>.size))
        var timeout = timeval(tv_sec: 60, tv_usec: 0)
        setsockopt(
            fd, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
    }

    deinit { close(fd) }

    /// Greets as a server does, and answers the client's hello.
    func greet(maxLine: Int = 1 << 20, heartbeatMillis: Int = 30_000) throws {
        try write(
            """
            {"op":"hello","server":"grove","version":"9.9.9","proto":[1],"node":"n",\
            "max_line":\(maxLine),"heartbeat_ms":\(heartbeatMillis)}
            """)
        let hello = try request("hello")
        try reply(hello, #""session":"c-1""#)
    }

    /// Writes a line.
    func write(_ line: String) throws { try write(bytes: Array((line + "\n").utf8)) }

    /// Writes bytes unchanged.
    func write(bytes: some Collection<UInt8>) throws {
        let bytes = Array(bytes)
        let count = send(fd, bytes, bytes.count, Int32(MSG_NOSIGNAL))
        guard count == bytes.count else {
            throw FakeServerError(text: "writing: \(String(cString: strerror(errno)))")
        }
    }

    /// The next line; `nil` when the client has closed.
    func line() throws -> String? {
        while true {
            if let newline = buffer.firstIndex(of: UInt8(ascii: "\n")) {
                defer { buffer.removeFirst(newline + 1) }
                return String(decoding: buffer[..<newline], as: UTF8.self)
            }
            var bytes = [UInt8](repeating: 0, count: 1 << 16)
            let count = recv(fd, &bytes, bytes.count, 0)
            if count == 0 || (count < 0 && errno == ECONNRESET) { return nil }
            guard count > 0 else {
                throw FakeServerError(text: "reading: \(String(cString: strerror(errno)))")
            }
            buffer += bytes[..<count]
        }
    }

    /// The next request, which must have this op.
    func request(_ op: String) throws -> JSONValue {
        guard let line = try line() else {
            throw FakeServerError(text: "the client closed before \(op)")
        }
        let request = try JSONValue(parsing: Array(line.utf8))
        guard request["op"]?.string == op else {
            throw FakeServerError(text: "expected \(op), got \(line)")
        }
        return request
    }

    /// Answers a request: `fields` are JSON members, without braces.
    func reply(_ request: JSONValue, _ fields: String = "") throws {
        guard let id = request["id"] else { throw FakeServerError(text: "\(request) has no id") }
        try write(#"{"id":\#(id),"ok":true\#(fields.isEmpty ? "" : ",")\#(fields)}"#)
    }

    /// Refuses a request.
    func refuse(
        _ request: JSONValue, _ code: String, retry: Bool = false, more: String = ""
    ) throws {
        guard let id = request["id"] else { throw FakeServerError(text: "\(request) has no id") }
        try write(
            """
            {"id":\(id),"error":{"code":"\(code)","message":"no","retry":\(retry)\(more)}}
            """)
    }

    /// Waits until the client closes, whatever else it sends.
    func awaitClose() throws { while try line() != nil {} }

    /// Fails the script unless a condition holds.
    func require(_ holds: Bool, _ text: @autoclosure () -> String) throws {
        if !holds { throw FakeServerError(text: text()) }
    }
}
