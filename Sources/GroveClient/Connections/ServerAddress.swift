import GroveNetwork
import GroveWire

/// The address of a server: a host and a port, with or without TLS, or the path of a Unix socket.
public enum ServerAddress: Hashable, Sendable, CustomStringConvertible {
    /// A TCP port on a host, which is a name or an IPv4 or IPv6 address without brackets.
    case tcp(host: String, port: UInt16)
    /// A TCP port where the server speaks TLS from the first byte. The host is also the name that
    /// its certificate must have. A client never speaks without TLS to such an address.
    case tls(host: String, port: UInt16)
    /// A Unix socket in the file system; a path has at most 107 bytes.
    case unix(path: String)

    /// The default port of a server: 7400.
    public static let defaultPort: UInt16 = ProtocolVersion.defaultPort

    /// A server with default settings on this machine: `127.0.0.1:7400`.
    public static let standard = ServerAddress.tcp(host: "127.0.0.1", port: defaultPort)

    /// The text before the host of an address with TLS.
    private static let tlsPrefix = "tls:"

    /// Reads `HOST:PORT`, `HOST`, `:PORT`, `[IPV6]:PORT`, `tls:HOST:PORT` or `unix:PATH`; `nil`
    /// when the text is none of them. A missing host is `127.0.0.1`, a missing port is 7400; after
    /// `tls:` the port is never missing.
    public init?(_ text: String) {
        let isSecure = text.hasPrefix(Self.tlsPrefix)
        switch AddressText(isSecure ? String(text.dropFirst(Self.tlsPrefix.count)) : text) {
        case .unix(let path)?:
            guard !isSecure, SocketAddress.pathProblem(path) == nil else { return nil }
            self = .unix(path: path)
        case .host(let host, _, let port)?:
            guard !host.contains(where: \.isWhitespace), !text.isEmpty else { return nil }
            let host = host.isEmpty ? "127.0.0.1" : String(host)
            if isSecure {
                guard let port else { return nil }
                self = .tls(host: host, port: port)
            } else {
                self = .tcp(host: host, port: port ?? ServerAddress.defaultPort)
            }
        case nil: return nil
        }
    }

    /// The address in the form that ``init(_:)`` reads.
    public var description: String {
        switch self {
        case .tcp(let host, let port): Self.text(host, port)
        case .tls(let host, let port): Self.tlsPrefix + Self.text(host, port)
        case .unix(let path): "unix:\(path)"
        }
    }

    private static func text(_ host: String, _ port: UInt16) -> String {
        host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
    }

    /// Whether the server speaks TLS there.
    public var isSecure: Bool { if case .tls = self { true } else { false } }

    /// What may be wrong with a server there that doesn't greet, for the end of a message.
    var doubt: String {
        if case .tcp = self { "; a port that speaks TLS has an address tls:HOST:PORT" } else { "" }
    }

    /// The addresses to connect to, in the order to try them. Blocks while a name is looked up.
    package func endpoints() throws(HostLookup.Failure) -> [SocketAddress] {
        switch self {
        case .tcp(let host, let port), .tls(let host, let port):
            try HostLookup.addresses(of: host, port: port)
        case .unix(let path): [.unix(path: path)]
        }
    }
}
