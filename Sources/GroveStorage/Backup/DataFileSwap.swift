import GroveEngine

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Puts a restored file in the place of a data file that no server has open, and keeps that one.
///
/// The place is locked while this object lives: no server opens the present file, and no other
/// restore writes into its folder.
///
/// A log must never be beside a file that isn't its own: SQLite would move its pages into it. Where
/// a start would move the present file's log into it, that is done first. Then one `rename` puts
/// the restored file in its place. Where a start would not, because the file is damaged or has
/// another schema, the file and its log get their second names, the log loses its first one, and
/// then the restored file comes. A kill just before leaves the present file without its log, which
/// every server refuses; the next restore completes it.
package final class DataFileSwap {
    /// What was in the place before.
    package struct Former: Equatable, Sendable {
        /// Its name now; absolute. What belonged to it has the same name, with its ending.
        package var path: String
        /// Whether there was a data file, not only the log of a missing one.
        package var hasFile: Bool
        /// Why no server of this Grove could open it; `nil` if one could.
        package var damage: String?
    }

    /// What an exchange has come to.
    package struct Outcome: Sendable {
        /// What was there; `nil` for nothing.
        package fileprivate(set) var former: Former?
        /// Why a power cut may undo it; `nil` if it is durable.
        package fileprivate(set) var doubt: String?
    }

    /// The data file, absolute.
    package let path: String

    private let present: Present?
    /// Why the present file can't be opened.
    private var damage: String?
    /// Whether a start would move the log into the present file and change nothing else.
    private let canFold: Bool
    /// Locked against other restores.
    private let folder: Int32

    /// The present file, locked.
    private final class Present {
        let file: StoreFile
        /// Whether it only holds the place since a restore was killed.
        let isHolder: Bool

        init(_ file: consuming StoreFile) {
            isHolder = file.contains(DataFileSwap.holder)
            self.file = file
        }
    }

    /// What is in a file that holds the place.
    private static let holder = Array(
        "A restore was interrupted here: repeat 'grove restore'.\n".utf8)

    deinit { close(folder) }

    /// Locks the place and looks at the present file. Nothing changes.
    ///
    /// - Throws: `.unusablePath` without a folder; `.owned` when a server has the file open, or
    ///   another restore runs; `.foreign` for what is no file, and for another program's database.
    package init(_ path: String) throws(StoreOpenError) {
        let resolved = try StoreFile.resolve(path)
        try StoreFile.requireName(resolved)
        let folder = try Self.lock(StoreFile.directory(of: resolved))
        do throws(StoreOpenError) {
            if let file = try StoreFile.open(resolved) {
                (damage, canFold) = try Self.look(at: file)
                present = Present(file)
            } else {
                (damage, canFold) = (nil, false)
                present = nil
            }
        } catch {
            close(folder)
            throw error
        }
        self.path = resolved
        self.folder = folder
    }

    private static func lock(_ folder: String) throws(StoreOpenError) -> Int32 {
        let descriptor = StoreFile.open(folder, O_RDONLY | O_DIRECTORY)
        guard descriptor >= 0 else {
            throw .inputOutput(StoreFile.systemError("\(folder) cannot be opened"))
        }
        // On a file system that locks no folders, only the present file is locked.
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK else {
            close(descriptor)
            throw .owned("another restore writes into \(folder), and must end first")
        }
        return descriptor
    }

    /// Inspects the present file.
    private static func look(
        at file: borrowing StoreFile
    ) throws(StoreOpenError) -> (damage: String?, canFold: Bool) {
        let header: StoreFile.Header
        do throws(StoreOpenError) { header = try file.header() } catch .foreign {
            // What a failing disk or another program has left of the data file.
            let isEmpty = StoreFile.size(file.path) == 0
            return (isEmpty ? "it is empty" : "it is no data file", false)
        } catch { return (try reason(error), false) }
        guard header.applicationID == Schema.applicationID else {
            throw .foreign(
                "\(file.path) is an SQLite database of another program. Check the name; to use it "
                    + "all the same, move that database to another name first")
        }
        do throws(StoreOpenError) {
            let store = try SQLiteStore(
                StoreOpening(
                    file: file.shared(), options: SQLiteStoreOptions(), isInspection: true))
            store.shutDown()
            return (nil, header.schema == Schema.version)
        } catch { return (try reason(error), false) }
    }

    /// Why a file can't be opened.
    ///
    /// - Throws: The error, when the file can't be moved either.
    private static func reason(_ error: StoreOpenError) throws(StoreOpenError) -> String {
        switch error {
        case .owned, .unusablePath: throw error
        case .foreign(let reason): reason
        case .corrupt(let place): "it is damaged: \(place)"
        case .inputOutput(let reason): "it can't be read: \(reason)"
        case .newer(let schema, let known):
            "it has schema \(schema), and this Grove knows up to \(known)"
        case .full: "the disk is full"
        }
    }

    /// Puts `restored` in the place.
    ///
    /// - Parameters:
    ///   - restored: A closed data file without a log, in the same folder.
    ///   - moment: The time, as a part of the present file's other name.
    /// - Throws: `.full` when `restored` has a log, `.inputOutput`, `.owned`. Then all is as
    ///   before, but for a log that was moved into its file.
    package func put(_ restored: String, at moment: String) throws(StoreOpenError) -> Outcome {
        try Self.requireNoLog(restored)
        guard present?.file.isNamed ?? (StoreFile.size(path) == nil) else {
            throw .owned("another program has just made or replaced it")
        }
        try fold()
        let hasFile = present?.isHolder == false
        if present == nil { try holdPlace() }
        var former = FormerFile(of: path, hasFile: hasFile, at: moment)
        do throws(StoreOpenError) {
            try former.keep()
            try former.removeCompanions()
            guard rename(restored, path) == 0 else {
                throw .inputOutput(StoreFile.systemError("\(restored) cannot be renamed"))
            }
        } catch {
            if former.giveBack(), present == nil { unlink(path) }
            throw error
        }
        var outcome = Outcome()
        if !former.parts.isEmpty {
            outcome.former = Former(
                path: former.name, hasFile: hasFile,
                damage: hasFile ? damage : "only its log was there, and the file was missing")
        }
        do throws(StoreOpenError) { try StoreFile.syncDirectory(of: path) } catch {
            outcome.doubt = "\(error)"
        }
        return outcome
    }

    /// Requires that a closed file has no log.
    ///
    /// - Throws: `.full`, because a store that is closed leaves its log only on a full disk.
    package static func requireNoLog(_ path: String) throws(StoreOpenError) {
        for ending in FormerFile.companions where (StoreFile.size(path + ending) ?? 0) > 0 {
            throw .full
        }
    }

    /// Makes a closed file another log than the one that it was copied from, however that was done:
    /// keys of effects made by both would be the same, and cursors of the one hold in the other.
    /// Its log is moved into it, and its schema becomes the present one.
    ///
    /// - Throws: See `StoreOpenError`; `.full` when the log is still there.
    package static func makeCopy(_ path: String) throws(StoreOpenError) {
        var options = SQLiteStoreOptions()
        options.createsFile = false
        let store = try SQLiteStore.open(path: path, options: options)
        store.becomeCopy()
        do throws(StoreError) { try store.close() } catch { throw StoreOpenError(error) }
        try requireNoLog(path)
    }

    /// Moves the present file's log into it, as a start would.
    private func fold() throws(StoreOpenError) {
        guard canFold, (StoreFile.size(path + "-wal") ?? 0) > 0 else { return }
        do throws(StoreOpenError) {
            guard let present else { return }
            let store = try SQLiteStore(
                StoreOpening(file: present.file.shared(), options: SQLiteStoreOptions()))
            do throws(StoreError) { try store.close() } catch { throw StoreOpenError(error) }
        } catch {
            // The file is kept with its log then.
            if error != .full { damage = try Self.reason(error) }
        }
    }

    /// Makes a file that every server refuses. Without it, one that starts when the log is gone and
    /// the restored file hasn't come would make an empty data file.
    private func holdPlace() throws(StoreOpenError) {
        let descriptor = StoreFile.open(path, O_WRONLY | O_CREAT | O_EXCL)
        guard descriptor >= 0 else {
            guard errno != EEXIST else { throw .owned("another program has just made it") }
            throw .inputOutput(StoreFile.systemError("\(path) cannot be made"))
        }
        defer { close(descriptor) }
        // A repeated restore gives the file this owner: that of the log, or else of the folder.
        var status = stat()
        let folder = StoreFile.directory(of: path)
        if stat(path + "-wal", &status) == 0 || stat(folder, &status) == 0 {
            // Only root may; otherwise it belongs to the user who restores.
            _ = fchown(descriptor, status.st_uid, status.st_gid)
        }
        let text = Self.holder
        guard write(descriptor, text, text.count) == text.count, fsync(descriptor) == 0 else {
            let isFull = [ENOSPC, EDQUOT].contains(errno)
            let message = StoreFile.systemError("\(path) cannot be written")
            unlink(path)
            throw isFull ? .full : .inputOutput(message)
        }
    }
}
