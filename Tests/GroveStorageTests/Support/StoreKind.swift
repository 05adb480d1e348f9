import GroveEngine
import GroveStorage

/// Every implementation of `Store`; the contract's suite runs for each.
enum StoreKind: CaseIterable, Sendable {
    case memory
    case sqlite
    /// SQLite with every bound so low that blocks, compression and checkpoints happen often.
    case sqliteWithSmallBounds

    /// An empty store of its own.
    func make() throws -> any Store {
        switch self {
        case .memory:
            return MemoryStore(logID: LogID(high: .random(in: 0 ... .max), low: 1))
        case .sqlite:
            return try SQLiteStore.open(path: TestDirectory.make() + "/data.grove")
        case .sqliteWithSmallBounds:
            return try SQLiteStore.open(
                path: TestDirectory.make() + "/data.grove", options: .small)
        }
    }
}
