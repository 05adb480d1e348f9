import GroveEngine
import GroveTestSupport

@testable import GroveStorage

/// A store in a data file. A crash leaves the file as its last commit did. The next process makes
/// from the journal the rows that were to be written later: the bounds are low, so that there are
/// some of each kind.
class SimulatedFile: SimulatedStore {
    /// The file's folder, which goes with the last store of the run.
    private var folder: TemporaryFolder?

    override class func make(seed: UInt64) throws -> SimulatedStore {
        try open(try TemporaryFolder(), seed: seed, committed: [])
    }

    override func reopened() throws -> SimulatedStore {
        guard let folder else { throw TestProblem("a file without a folder") }
        try crash(try file)
        let store = try Self.open(folder, seed: nextSeed(), committed: committed)
        try store.continueRun(of: self)
        return store
    }

    private static func open(
        _ folder: TemporaryFolder, seed: UInt64, committed: [WriteSet]
    ) throws -> SimulatedFile {
        var options = SQLiteStoreOptions()
        options.redoBounds = RedoBounds(steps: 60, bytes: 30_000)
        options.blockBytesMax = 300
        let file = try SQLiteStore.open(path: folder.path("data.grove"), options: options)
        let store = Self(seed: seed, committed: committed, base: file)
        store.folder = folder
        return store
    }

    private var file: SQLiteStore {
        get throws {
            guard let file = (base as? RedoCheckingStore)?.base as? SQLiteStore else {
                throw TestProblem("a file without a store")
            }
            return file
        }
    }

    /// Ends the process.
    func crash(_ file: SQLiteStore) throws { file.shutDown() }
}

/// A planted bug: the mark up to which the rows hold all steps is too high, at the journal's end.
final class OvermarkedFile: SimulatedFile {
    override func crash(_ file: SQLiteStore) throws {
        try file.transaction(try file.tables()) { (_) throws(SQLiteFailure) in
            try RedoTable.write(RedoPoint(step: file.head), file.connection)
        }
        try super.crash(file)
    }
}
