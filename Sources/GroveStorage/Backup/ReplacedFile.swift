import GroveEngine

/// Holds the place that a backup is written to, while this object lives: no server opens the file
/// that is there.
package final class ReplacedFile {
    /// The present file, locked; `nil` without one.
    private let file: StoreFile?

    /// Checks that a backup may take the place. Nothing changes.
    ///
    /// - Throws: `.owned` when a server has the file open, and when a log is there that would be
    ///   taken for the backup's; `.foreign` for the name of what belongs to another data file, and
    ///   for what is no file.
    package init(_ path: String) throws(StoreOpenError) {
        let resolved = try StoreFile.resolve(path)
        try StoreFile.requireName(resolved)
        file = try StoreFile.open(resolved, forReading: true)
        for ending in FormerFile.companions where (StoreFile.size(resolved + ending) ?? 0) > 0 {
            throw .owned(
                "\(resolved)\(ending) belongs to a data file of this name, and would damage the "
                    + "backup: name another file, or move both away")
        }
    }
}
