import Glibc
import GroveNetwork

/// Blocking IPv4 sockets with the calls that the tests' servers need.
enum TestSocket {
    /// Returns a listening socket and its port.
    static func listen(host: String, port: Int, backlog: Int32 = 64) throws -> (Int32, Int) {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var yes: Int32 = 1
        setsockopt(
            listener, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr(host)
        address.sin_port = in_port_t(port).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let code = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                guard bind(listener, address, length) == 0,
                    Glibc.listen(listener, backlog) == 0
                else { return Int32(-1) }
                return getsockname(listener, address, &length)
            }
        }
        guard code == 0 else {
            close(listener)
            throw TestServer.Failure(call: "listen")
        }
        return (listener, Int(UInt16(bigEndian: address.sin_port)))
    }

    /// Waits for the next connection and returns it; `nil` if the listener was shut down.
    static func accept(_ listener: Int32) -> Int32? {
        let connection = Glibc.accept(listener, nil, nil)
        return connection >= 0 ? connection : nil
    }

    /// Sends all bytes. Returns whether the other side accepts them.
    static func send(_ bytes: [UInt8], to connection: Int32) -> Bool {
        var sent = 0
        while sent < bytes.count {
            let count = bytes.withUnsafeBytes { buffer in
                Glibc.send(
                    connection, buffer.baseAddress?.advanced(by: sent), bytes.count - sent,
                    Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return false }
            sent += count
        }
        return true
    }

    /// Reads lines and bytes from a connection.
    struct Reader {
        let descriptor: Int32
        private var buffer: [UInt8] = []

        init(descriptor: Int32) { self.descriptor = descriptor }

        /// Returns the next line without its end; `nil` at the end of the connection.
        mutating func line() -> String? {
            while true {
                if let end = buffer.firstIndex(of: UInt8(ascii: "\n")) {
                    let line = buffer[..<end].filter { $0 != UInt8(ascii: "\r") }
                    buffer.removeSubrange(...end)
                    return String(decoding: line, as: UTF8.self)
                }
                guard read() else { return nil }
            }
        }

        /// Returns the next bytes, up to a count; `nil` at the end of the connection.
        mutating func bytes(_ count: Int) -> [UInt8]? {
            while buffer.count < count { guard read() else { return nil } }
            defer { buffer.removeSubrange(..<count) }
            return Array(buffer[..<count])
        }

        private mutating func read() -> Bool {
            var part = [UInt8](repeating: 0, count: 1 << 16)
            let count = recv(descriptor, &part, part.count, 0)
            guard count > 0 else { return false }
            buffer += part[..<count]
            return true
        }
    }
}
