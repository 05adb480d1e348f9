#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The address of a socket: a numeric IP address and a port, or the path of a Unix socket.
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
    /// The port; 0 lets the system choose one. Unix sockets have 0.
    public var port: UInt16
    /// The number of the network interface of a link-local IPv6 address; 0 elsewhere.
    private var scope: UInt32 = 0

    /// An address.
    public init(host: Host, port: UInt16) {
        self.host = host
        self.port = port
    }

    /// 127.0.0.1.
    package static func loopbackV4(port: UInt16) -> SocketAddress {
        SocketAddress(host: .v4([127, 0, 0, 1]), port: port)
    }

    /// ::1.
    package static func loopbackV6(port: UInt16) -> SocketAddress {
        SocketAddress(host: .v6([UInt8](repeating: 0, count: 15) + [1]), port: port)
    }

    /// Its IP address; `nil` for a Unix socket.
    package var ip: IPAddress? {
        switch host {
        case .v4(let bytes), .v6(let bytes): IPAddress(bytes: bytes)
        case .unix: nil
        }
    }

    /// Whether only this machine can reach it: 127.0.0.0/8, IPv4-mapped addresses of it, ::1, and
    /// every Unix socket.
    public var isLoopback: Bool { ip?.isLoopback ?? true }

    /// `127.0.0.1:7400`, `[::1]:7400` or `unix:/run/grove.sock`.
    public var description: String {
        switch host {
        case .v4(let bytes): "\(IPAddress(bytes: bytes)):\(port)"
        case .v6(let bytes): "[\(IPAddress(bytes: bytes))]:\(port)"
        case .unix(let path): AddressText.unixPrefix + path
        }
    }

    /// Reads `address:port`, an IPv6 address in brackets, or `unix:path`. Names are not looked up.
    public init?(_ text: String) {
        switch AddressText(text) {
        case .unix(let path)?:
            guard Self.pathProblem(path) == nil else { return nil }
            self = .unix(path: path)
        case .host(let text, let isBracketed, let port?)?:
            guard let ip = IPAddress(text), ip.isVersion6 == isBracketed else { return nil }
            self.init(host: isBracketed ? .v6(ip.bytes) : .v4(ip.bytes), port: port)
        default: return nil
        }
    }

    // MARK: The system's form

    /// The system's number for the kind of address.
    package var family: Int32 {
        switch host {
        case .v4: AF_INET
        case .v6: AF_INET6
        case .unix: AF_UNIX
        }
    }

    /// Calls `body` with the system's form of the address.
    package func withSystemAddress<Result>(
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
            system.sin6_scope_id = scope
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
    package init?(_ storage: sockaddr_storage) {
        let address = withUnsafeBytes(of: storage) { bytes in
            bytes.baseAddress.flatMap { SocketAddress(systemAddress: $0) }
        }
        guard let address else { return nil }
        self = address
    }

    /// The address of a `sockaddr`; `nil` for families that aren't IP.
    init?(systemAddress raw: UnsafeRawPointer) {
        switch Int32(raw.loadUnaligned(as: sockaddr.self).sa_family) {
        case AF_INET:
            let system = raw.loadUnaligned(as: sockaddr_in.self)
            self.init(
                host: .v4(withUnsafeBytes(of: system.sin_addr) { Array($0) }),
                port: UInt16(bigEndian: system.sin_port))
        case AF_INET6:
            let system = raw.loadUnaligned(as: sockaddr_in6.self)
            self.init(
                host: .v6(withUnsafeBytes(of: system.sin6_addr) { Array($0) }),
                port: UInt16(bigEndian: system.sin6_port))
            scope = system.sin6_scope_id
        default: return nil
        }
    }
}
