import GroveEngine

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Puts a restored file in the place of a data file that no server has open.
///
/// A log must never come beside a file that isn't its own: SQLite would move its pages into it. So
/// the present file is opened first, as a start would, which leaves it without a log. Then one call
/// of the system exchanges the files, and a kill leaves the one or the other. Only a damaged file,
/// which can't be opened, is moved away with its log before the restored one comes: a kill in
/// between leaves no file of that name.
package enum DataFileSwap {
    /// What became of the present file.
    package enum Former: Equatable, Sendable {
        /// There was none.
        case none
        /// It has the other name now. A damaged one has the reason.
        case kept(damage: String?)
    }

    /// Puts `restored` in the place of `path`.
    ///
    /// - Parameters:
    ///   - restored: A closed data file without a log, in the same folder.
    ///   - former: The name that the present file gets, with its log if it has one.
    /// - Throws: `.owned` when a server has it open, `.foreign` when it is no data file of Grove;
    ///   then nothing has changed.
    package static func put(
        _ restored: String, at path: String, keeping former: String
    ) throws(StoreOpenError) -> Former {
        let damage = try settle(path)
        guard let present = try StoreFile.open(path) else {
            try moveLog(of: path, to: former)
            try move(restored, path)
            try StoreFile.syncDirectory(of: path)
            return .none
        }
        guard StoreFile.size(former) == nil else {
            throw .unusablePath("\(former) is there already")
        }
        let hasLog = (StoreFile.size(path + "-wal") ?? 0) > 0
        // Not every file system has second names.
        let isMoved = hasLog || link(path, former) != 0
        do throws(StoreOpenError) {
            if isMoved {
                try move(path, former)
                try moveLog(of: path, to: former)
            }
            try move(restored, path)
        } catch {
            // As it was. What fails again stays under the other name, with its log.
            if isMoved {
                if StoreFile.size(former + "-wal") != nil { rename(former + "-wal", path + "-wal") }
                rename(former, path)
            } else {
                unlink(former)
            }
            throw error
        }
        try StoreFile.syncDirectory(of: path)
        withExtendedLifetime(present) {}
        return .kept(damage: damage)
    }

    /// Opens and closes the present file, so that it has no log.
    ///
    /// - Returns: Why it can't be opened, if it is damaged or of a newer Grove.
    private static func settle(_ path: String) throws(StoreOpenError) -> String? {
        guard StoreFile.size(path) != nil else { return nil }
        var options = SQLiteStoreOptions()
        options.createsFile = false
        do throws(StoreOpenError) {
            let store = try SQLiteStore.open(path: path, options: options)
            do throws(StoreError) { try store.close() } catch { return "\(error)" }
            return nil
        } catch {
            switch error {
            case .owned, .foreign, .unusablePath: throw error
            case .newer, .corrupt, .inputOutput, .full: return error.description
            }
        }
    }

    private static func moveLog(of path: String, to former: String) throws(StoreOpenError) {
        guard StoreFile.size(path + "-wal") != nil else { return }
        try move(path + "-wal", former + "-wal")
    }

    private static func move(_ from: String, _ to: String) throws(StoreOpenError) {
        guard rename(from, to) == 0 else {
            throw .inputOutput(StoreFile.systemError("\(from) cannot be renamed to \(to)"))
        }
    }
}
