import Foundation

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// A client that sends and receives lines, one at a time. Reads wait for ten seconds at most.
final class LineClient {
    private let descriptor: Int32
    private var received: [UInt8] = []

    init(port: UInt16) throws {
        descriptor = try Socket.make()
        var address = Socket.loopback(port: port)
        let code = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard code == 0 else {
            close(descriptor)
            throw Problem("no connection to port \(port): errno \(errno)")
        }
        var patience = timeval(tv_sec: 10, tv_usec: 0)
        setsockopt(
            descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
    }

    deinit { close(descriptor) }

    /// Sends one line.
    func send(_ line: String) throws {
        var rest = Array("\(line)\n".utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                Socket.send(descriptor, $0.baseAddress, $0.count)
            }
            guard count > 0 else { throw Problem("sending failed: errno \(errno)") }
            rest = rest.dropFirst(count)
        }
    }

    /// The next line, without its newline.
    func receive() throws -> String {
        while true {
            if let end = received.firstIndex(of: UInt8(ascii: "\n")) {
                defer { received.removeFirst(end + 1) }
                return String(decoding: received[..<end], as: UTF8.self)
            }
            var chunk = [UInt8](repeating: 0, count: 65_536)
            let count = recv(descriptor, &chunk, chunk.count, 0)
            guard count > 0 else {
                throw Problem(count == 0 ? "the server closed" : "no line came: errno \(errno)")
            }
            received += chunk[..<count]
        }
    }
}

/// The system calls that differ between platforms.
enum Socket {
    static func make() throws -> Int32 {
        #if canImport(Darwin)
            let descriptor = socket(AF_INET, SOCK_STREAM, 0)
        #else
            let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #endif
        guard descriptor >= 0 else { throw Problem("no socket: errno \(errno)") }
        return descriptor
    }

    static func loopback(port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return address
    }

    static func send(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
        #if canImport(Darwin)
            Darwin.send(descriptor, bytes, count, 0)
        #else
            Glibc.send(descriptor, bytes, count, Int32(MSG_NOSIGNAL))
        #endif
    }
}
