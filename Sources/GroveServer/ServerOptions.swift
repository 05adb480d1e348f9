public import GroveEffects
public import GroveEngine
import GroveNetwork
public import GroveProtocol
import GroveStorage
import GroveWire
public import Metrics
public import Transducers

/// What a server is started with. `docs/reference/configuration.md` lists the same as keys.
public struct ServerOptions: Sendable {
    /// Where it listens.
    public var listen: [SocketAddress] = [
        .loopbackV4(port: ProtocolVersion.defaultPort),
        .loopbackV6(port: ProtocolVersion.defaultPort),
    ]

    /// The permissions of a Unix socket's file: who may write to it may connect.
    public var unixSocketMode: UInt32 = 0o600

    /// Whether addresses that other machines can reach are allowed, although there is neither
    /// encryption nor authentication.
    public var allowsInsecurePlaintext = false

    /// Where instances and their journal are kept.
    public var store = StoreSource.memory

    /// The bounds of the wire.
    public var limits = ServerLimits()

    /// The bounds of the engine. Its windows always follow `limits.pendingBytesMax` and
    /// `limits.bufferBytesMax`.
    public var engine = EngineOptions()

    /// What it forgets by itself: by default, nothing.
    public var retention = RetentionOptions()

    /// What effects of machines may have work; the server's own `http` comes on top.
    public var handlers = EffectHandlers()

    /// What the handler `http` may do: by default nothing, because no host is allowed.
    public var http = HTTPOptions()

    /// The server's name in the greeting; `nil` for one made of the log's id.
    public var node: String?

    /// Where the numbers of `stats` go besides, once a second (docs/reference/metrics.md); `nil`
    /// for what the process has given to `MetricsSystem.bootstrap(_:)`. It is called on the
    /// queue of the sockets, and must not wait.
    public var metrics: (any MetricsFactory)?

    /// How long stopping may take, in milliseconds: replies and last records are sent until a
    /// second before (at least half of it), then connections are closed and the store is.
    public var graceMilliseconds: Int64 = 10_000

    /// The defaults: loopback, port 7400, nothing durable.
    public init() {}
}

/// How the server comes by its store. It is opened, used and closed on the engine queue.
public struct StoreSource: Sendable {
    /// Opens the store.
    public let open: @Sendable () throws(StoreOpenError) -> any Store
    /// Closes it, so that the next start has nothing to recover.
    public let close: @Sendable (any Store) throws(StoreError) -> Void
    /// Where it may be noted, beside a store, whose code has ended the process; `nil` where the
    /// store itself ends with that.
    public let crashPath: @Sendable (any Store) -> String?
    /// What it is, for the log.
    public let name: String

    /// A source of stores of any kind.
    public init(
        name: String, open: @escaping @Sendable () throws(StoreOpenError) -> any Store,
        close: @escaping @Sendable (any Store) throws(StoreError) -> Void = { _ in },
        crashPath: @escaping @Sendable (any Store) -> String? = { _ in nil }
    ) {
        self.name = name
        self.open = open
        self.close = close
        self.crashPath = crashPath
    }

    /// Keeps everything in memory; nothing outlives the process.
    public static let memory = StoreSource(name: "memory") {
        () throws(StoreOpenError) -> any Store in
        MemoryStore(logID: LogID(high: .random(in: 0 ... .max), low: .random(in: 0 ... .max)))
    }

    /// A data file, made if it isn't there.
    public static func file(_ path: String) -> StoreSource {
        StoreSource(name: path) { () throws(StoreOpenError) -> any Store in
            var options = SQLiteStoreOptions()
            options.postponesCheckpoints = true
            return try SQLiteStore.open(path: path, options: options)
        } close: { (store) throws(StoreError) in
            try (store as? SQLiteStore)?.close()
        } crashPath: { store in
            (store as? SQLiteStore).map { $0.path + "-crash" }
        }
    }
}
