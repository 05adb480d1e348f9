import GroveNetwork
import GroveWire

/// The address of a server: a host and a port, or the path of a Unix socket.
public enum ServerAddress: Hashable, Sendable, CustomStringConvertible {
    /// A TCP port on a host, which is a name or an IPv4 or IPv6 address without brackets.
    case tcp(host: String, port: UInt16)
    /// A Unix socket in the file system; a path has at most 107 bytes.
    case unix(path: String)

    /// The default port of a server: 7400.
    public static let defaultPort: UInt16 = ProtocolVersion.defaultPort

    /// A server with default settings on this machine: `127.0.0.1:7400`.
    public static let standard = ServerAddress.tcp(host: "127.0.0.1", port: defaultPort)

    /// Reads `HOST:PORT`, `HOST`, `:PORT`, `[IPV6]:PORT` or `unix:PATH`; `nil` when the text is
    /// none of them. A missing host is `127.0.0.1`, a missing port is 7400.
    public init?(_ text: String) {
        switch AddressText(text) {
        case .unix(let path)?:
            guard SocketAddress.pathProblem(path) == nil else { return nil }
            self = .unix(path: path)
        case .host(let host, _, let port)?:
            guard !host.contains(where: \.isWhitespace), !text.isEmpty else { return nil }
            let port = port ?? ServerAddress.defaultPort
            self = .tcp(host: host.isEmpty ? "127.0.0.1" : String(host), port: port)
        case nil: return nil
        }
    }

    /// The address in the form that ``init(_:)`` reads.
    public var description: String {
        switch self {
        case .tcp(let host, let port):
            host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
        case .unix(let path): "unix:\(path)"
        }
    }

    /// The addresses to connect to, in the order to try them. Blocks while a name is looked up.
    package func endpoints() throws(HostLookup.Failure) -> [SocketAddress] {
        switch self {
        case .tcp(let host, let port): try HostLookup.addresses(of: host, port: port)
        case .unix(let path): [.unix(path: path)]
        }
    }
}
