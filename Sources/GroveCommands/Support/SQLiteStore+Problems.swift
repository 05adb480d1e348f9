import GroveEngine
import GroveStorage

extension SQLiteStore {
    /// Checks everything, with the progress on standard error.
    ///
    /// - Returns: A sentence for each damage.
    func problems(_ style: Style) throws(StoreError) -> [String] {
        var progress = ProgressLine("checking, journal steps", style)
        defer { progress.finish() }
        return try checkAll { progress.show($0, of: $1) }.map(\.description)
    }
}
