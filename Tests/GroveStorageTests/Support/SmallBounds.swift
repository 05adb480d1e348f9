@testable import GroveStorage

extension SQLiteStoreOptions {
    /// Bounds so low that everything that happens seldom happens often.
    static var small: SQLiteStoreOptions {
        var options = SQLiteStoreOptions()
        options.blockBytesMax = 300
        options.compressionBytesMin = 200
        options.logBytesMax = 100_000
        options.redoBounds = RedoBounds(steps: 60, bytes: 30_000)
        return options
    }
}
