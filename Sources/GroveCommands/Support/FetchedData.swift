import ArgumentParser
import Glibc
import GroveClient
import GroveStorage

/// A server's data as a file in a folder of its own.
enum FetchedData {
    /// Fetches a copy and opens it. The file has lost its name then: its room on the disk is free
    /// again when the store is closed or the process ends.
    ///
    /// - Throws: `.cannotCreate` when there is no room for the folder, `.inputOutput` when the copy
    ///   can't be written; with a sentence on standard error. `ClientError`, `StoreOpenError`.
    static func open(from client: Client, _ format: FormatFlags) async throws -> SQLiteStore {
        let folder = try makeFolder(format)
        let path = folder + "/copy.db"
        let signals = StopSignals { number in
            unlink(path + ".part")
            unlink(path)
            rmdir(folder)
            _exit(128 + number)
        }
        defer {
            unlink(path)
            rmdir(folder)
            withExtendedLifetime(signals) {}
        }
        let target = try TargetFile(path, replaces: false, format)
        // Its name goes before that of the folder.
        defer { target.abandon() }
        _ = try await BackupCopy(client, format.noteStyle).fetch { try target.write($0) }
        try target.finish()
        return try SQLiteStore.inspect(path: path)
    }

    /// Makes a folder that only this user can read.
    private static func makeFolder(_ format: FormatFlags) throws(ExitCode) -> String {
        let parent = getenv("TMPDIR").map { String(cString: $0) } ?? ""
        // Large files belong into this one: /tmp may be in memory.
        let pattern = (parent.isEmpty ? "/var/tmp" : parent) + "/grove-replay-XXXXXX"
        var name = pattern.utf8CString.map(\.self)
        guard mkdtemp(&name) != nil else {
            throw ExitCode.systemError(pattern, .cannotCreate, format)
        }
        return String(decoding: name.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
