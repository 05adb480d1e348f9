import Dispatch
public import GroveEngine
import GroveStorage

/// Opens and closes the server's store, which is confined to the engine queue.
public struct StoreSource: Sendable {
    /// Opens the store.
    public let open: @Sendable () throws(StoreOpenError) -> any Store
    /// Closes it, so that the next start has nothing to recover.
    public let close: @Sendable (any Store) throws(StoreError) -> Void
    /// The path of the crash file beside a store; `nil` for a store that ends with the process.
    public let crashPath: @Sendable (any Store) -> String?
    /// Its name, for the log.
    public let name: String

    /// The data file for a command in a message.
    var dataPath: String { name == Self.memory.name ? "grove.db" : name }

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

    /// A store in memory, which ends with the process.
    public static let memory = StoreSource(name: "memory") {
        () throws(StoreOpenError) -> any Store in
        MemoryStore(logID: LogID(high: .random(in: 0 ... .max), low: .random(in: 0 ... .max)))
    }

    /// A data file, created if it doesn't exist.
    public static func file(_ path: String) -> StoreSource {
        StoreSource(name: path) { () throws(StoreOpenError) -> any Store in
            var options = SQLiteStoreOptions()
            let queue = DispatchQueue(label: "grove.log")
            options.logQueue = { work in queue.async(execute: work) }
            return try SQLiteStore.open(path: path, options: options)
        } close: { (store) throws(StoreError) in
            try (store as? SQLiteStore)?.close()
        } crashPath: { store in
            (store as? SQLiteStore).map { $0.path + "-crash" }
        }
    }
}
