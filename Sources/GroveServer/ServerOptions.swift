public import GroveEffects
public import GroveEngine
import GroveNetwork
public import GroveProtocol
import GroveStorage
public import GroveTLS
import GroveWire
public import Metrics
public import Transducers

/// The options of a server. `docs/reference/configuration.md` lists the same as keys.
public struct ServerOptions: Sendable {
    /// The addresses to listen on, in plaintext.
    public var listen: [SocketAddress] = [
        .loopbackV4(port: ProtocolVersion.defaultPort),
        .loopbackV6(port: ProtocolVersion.defaultPort),
    ]

    /// The permissions of a Unix socket's file: users who may write to it may connect.
    public var unixSocketMode: UInt32 = 0o600

    /// The addresses to listen on whose connections begin with TLS.
    public var listenTLS: [SocketAddress] = []

    /// The certificate and the rules of ``listenTLS``.
    public var tls = TLSServerOptions()

    /// HTTP and the console.
    public var web = WebOptions()

    /// Whether plaintext is allowed at addresses that other machines can reach, although there is
    /// neither encryption nor authentication.
    public var allowsInsecurePlaintext = false

    /// Whether TLS without certificates of clients is allowed at addresses that other machines can
    /// reach: everybody who can connect can read and change everything.
    public var allowsInsecureAnonymous = false

    /// The store of instances and their journal.
    public var store = StoreSource.memory

    /// The limits of connections and lines.
    public var limits = ServerLimits()

    /// The limits of the engine. Its windows always follow `limits.pendingBytesMax` and
    /// `limits.bufferBytesMax`.
    public var engine = EngineOptions()

    /// The data that it removes by itself: by default, none.
    public var retention = RetentionOptions()

    /// Handlers that effects may call, besides the server's own `http`.
    public var handlers = EffectHandlers()

    /// The options of the handler `http`; by default no host is allowed.
    public var http = HTTPOptions()

    /// The folder of machines as data; `nil` for none.
    public var machinesFolder: String?

    /// The server's name in the greeting; `nil` for one made of the log's id.
    public var node: String?

    /// The metrics library that receives the numbers of `stats`, once per second
    /// (docs/reference/metrics.md); `nil` for the one that the process has given to
    /// `MetricsSystem.bootstrap(_:)`. It is called on the queue of the sockets, and must not wait.
    public var metrics: (any MetricsFactory)?

    /// The longest time for stopping, in milliseconds. Replies and last records are sent until a
    /// second before its end (at least half of it), then connections and the store are closed.
    public var graceMilliseconds: Int64 = 10_000

    /// The defaults: loopback, port 7400, nothing durable.
    public init() {}
}
