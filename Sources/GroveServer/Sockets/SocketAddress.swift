import Glibc

/// Where a server listens: a numeric IP address and a port, or the path of a Unix socket.
public struct SocketAddress: Hashable, Sendable, CustomStringConvertible {
    /// The kinds of addresses; bytes are in network order.
    public enum Host: Hashable, Sendable {
        /// Four bytes.
        case v4([UInt8])
        /// Sixteen bytes.
        case v6([UInt8])
        /// A path of at most ``SocketAddress/unixPathBytesMax`` bytes.
        case unix(String)
    }

    /// The address.
    public var host: Host
    /// The port; 0 lets the system choose one, and is that of every Unix socket.
    public var port: UInt16

    /// 127.0.0.1.
    static func loopbackV4(port: UInt16) -> SocketAddress {
        SocketAddress(host: .v4([127, 0, 0, 1]), port: port)
    }

    /// ::1.
    static func loopbackV6(port: UInt16) -> SocketAddress {
        SocketAddress(host: .v6([UInt8](repeating: 0, count: 15) + [1]), port: port)
    }

    /// Whether only this machine can reach it: 127.0.0.0/8, ::1, the former in the clothes of
    /// the latter, and every Unix socket.
    public var isLoopback: Bool {
        switch host {
        case .v4(let bytes): bytes[0] == 127
        case .v6(let bytes):
            host == Self.loopbackV6(port: 0).host || Self.mappedV4(bytes)?[0] == 127
        case .unix: true
        }
    }

    /// `127.0.0.1:7400`, `[::1]:7400` or `unix:/run/grove.sock`.
    public var description: String {
        switch host {
        case .v4(let bytes): "\(Self.text(bytes, AF_INET)):\(port)"
        case .v6(let bytes): "[\(Self.text(bytes, AF_INET6))]:\(port)"
        case .unix(let path): Self.unixPrefix + path
        }
    }

    /// Reads `address:port`, an IPv6 address in brackets, or `unix:path`. Names are not looked up.
    public init?(_ text: String) {
        if text.hasPrefix(Self.unixPrefix) {
            let path = String(text.dropFirst(Self.unixPrefix.count))
            guard Self.pathProblem(path) == nil else { return nil }
            self = .unix(path: path)
            return
        }
        guard let colon = text.lastIndex(of: ":") else { return nil }
        let digits = text[text.index(after: colon)...]
        guard !digits.isEmpty, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            let port = UInt16(digits)
        else { return nil }
        let host = String(text[..<colon])
        if host.hasPrefix("["), host.hasSuffix("]") {
            guard let bytes = Self.parse(String(host.dropFirst().dropLast()), AF_INET6, 16) else {
                return nil
            }
            self.init(host: .v6(bytes), port: port)
        } else {
            guard let bytes = Self.parse(host, AF_INET, 4) else { return nil }
            self.init(host: .v4(bytes), port: port)
        }
    }

    /// Puts the two together.
    public init(host: Host, port: UInt16) {
        self.host = host
        self.port = port
    }

    private static let mappedPrefix = [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF]

    /// The IPv4 address that an IPv6 address stands for, if it does.
    static func mappedV4(_ bytes: [UInt8]) -> [UInt8]? {
        bytes.starts(with: mappedPrefix) ? Array(bytes[12...]) : nil
    }

    private static func text(_ bytes: [UInt8], _ family: Int32) -> String {
        var buffer = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        let length = socklen_t(buffer.count)
        // The buffer is long enough for every address.
        _ = bytes.withUnsafeBytes { inet_ntop(family, $0.baseAddress, &buffer, length) }
        let end = buffer.firstIndex(of: 0) ?? buffer.count
        return String(decoding: buffer[..<end].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    private static func parse(_ text: String, _ family: Int32, _ count: Int) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: count)
        let result = bytes.withUnsafeMutableBytes { inet_pton(family, text, $0.baseAddress) }
        return result == 1 ? bytes : nil
    }

    // MARK: The system's form

    /// The system's number for the kind of address.
    var family: Int32 {
        switch host {
        case .v4: AF_INET
        case .v6: AF_INET6
        case .unix: AF_UNIX
        }
    }

    /// Hands the address to `body` as the system wants it.
    func withSystemAddress<Result>(
        _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
    ) -> Result {
        switch host {
        case .v4(let bytes):
            var system = sockaddr_in()
            system.sin_family = sa_family_t(AF_INET)
            system.sin_port = port.bigEndian
            withUnsafeMutableBytes(of: &system.sin_addr) { $0.copyBytes(from: bytes) }
            return Self.withSystem(&system, body)
        case .v6(let bytes):
            var system = sockaddr_in6()
            system.sin6_family = sa_family_t(AF_INET6)
            system.sin6_port = port.bigEndian
            withUnsafeMutableBytes(of: &system.sin6_addr) { $0.copyBytes(from: bytes) }
            return Self.withSystem(&system, body)
        case .unix(let path): return Self.withUnixAddress(path, body)
        }
    }

    static func withSystem<Address, Result>(
        _ address: inout Address, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
    ) -> Result {
        let length = socklen_t(MemoryLayout<Address>.size)
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, length) }
        }
    }

    /// The address that the system wrote into `storage`; `nil` for families that aren't IP.
    init?(_ storage: sockaddr_storage) {
        var storage = storage
        switch Int32(storage.ss_family) {
        case AF_INET:
            let system = withUnsafeBytes(of: &storage) { $0.load(as: sockaddr_in.self) }
            self.init(
                host: .v4(withUnsafeBytes(of: system.sin_addr) { Array($0) }),
                port: UInt16(bigEndian: system.sin_port))
        case AF_INET6:
            let system = withUnsafeBytes(of: &storage) { $0.load(as: sockaddr_in6.self) }
            self.init(
                host: .v6(withUnsafeBytes(of: system.sin6_addr) { Array($0) }),
                port: UInt16(bigEndian: system.sin6_port))
        default: return nil
        }
    }
}
