import ArgumentParser
import Glibc
import GroveAccess
import GroveClient
import GroveEngine
import GroveStorage

/// A checked copy of a backup beside the data file whose place it takes.
struct RestoredFile {
    /// Where it is.
    let path: String
    /// The instances, effects and steps that it has, by name.
    let counts: [(name: String, value: Int64)]
    /// The time of its newest step in milliseconds since 1970; `nil` without one.
    let newest: Int64?
    /// All of its tokens, and those that are valid now.
    private(set) var tokens: (all: Int, valid: Int)

    /// Bytes that are copied at once.
    private static let pieceBytes = 1 << 20

    /// Checks a backup and copies it.
    ///
    /// - Parameter quick: Whether only that is checked which a server checks at its start.
    /// - Throws: `RestoreError`; and `ExitCode` with a sentence on standard error.
    init(of backup: String, to path: String, for data: String, quick: Bool, _ style: Style) throws {
        self.path = path
        let store: SQLiteStore
        do throws(StoreOpenError) { store = try SQLiteStore.inspect(path: backup) } catch {
            throw RestoreError(backup: backup, error)
        }
        // Nothing is written, so closing can't lose anything.
        defer { try? store.close() }
        let wanted = ["instances", "effects", "journal_steps"]
        counts = store.statistics().filter { wanted.contains($0.name) }
        let now = HumanTime.now
        let ends = AccountsTable(store.accounts.rows).tokens.values.map(\.expires)
        tokens = (ends.count, ends.count { $0.map { $0 > now } ?? true })
        do throws(StoreError) {
            newest = try store.record(at: store.head)?.at.milliseconds
            let problems = quick ? [] : try store.problems(style)
            for problem in problems {
                Output.note("\(style.paint("problem", .bad))  \(style.safe(problem))")
            }
            if let first = problems.first { throw .corrupt(first) }
        } catch { throw RestoreError(backup: backup, error) }
        // The store has the file locked, so it doesn't change.
        try Self.copy(backup, to: path, style)
        try Self.own(path, as: data)
        try Self.makeCopy(of: backup, at: path, style)
    }

    /// Removes the copy, and what a command that was killed has left of one.
    static func remove(_ path: String) {
        for part in parts(of: path) { unlink(part) }
    }

    /// The files that a copy may consist of.
    static func parts(of path: String) -> [String] {
        ["", ".part", "-wal", "-wal.part", "-shm", "-journal"].map { path + $0 }
    }

    /// Revokes all tokens.
    ///
    /// - Throws: `RestoreError`. Then tokens may be valid.
    mutating func revokeTokens() throws {
        guard tokens.all > 0 else { return }
        do {
            let accounts = try DataAccounts(path: path, createsFile: false)
            do {
                _ = try accounts.revokeToken(nil, force: true)
            } catch {
                // What is reported is why the tokens are still there.
                try? accounts.close()
                throw error
            }
            try accounts.close()
            // On a full disk the revocation is still in the log, which the file leaves here.
            try DataFileSwap.requireNoLog(path)
        } catch { throw RestoreError(copy: error) }
        tokens.valid = 0
    }

    /// Copies the backup's log, too, if it has one, and makes the copy another log.
    private static func makeCopy(of backup: String, at path: String, _ style: Style) throws {
        var status = stat()
        if stat(backup + "-wal", &status) == 0, status.st_size > 0 {
            try copy(backup + "-wal", to: path + "-wal", style)
        }
        do throws(StoreOpenError) { try DataFileSwap.makeCopy(path) } catch {
            throw RestoreError(copy: error)
        }
    }

    private static func copy(_ from: String, to path: String, _ style: Style) throws {
        let source = open(from, O_RDONLY | O_CLOEXEC)
        guard source >= 0 else { throw ExitCode.systemError(from, .inputOutput) }
        defer { close(source) }
        let target = try TargetFile(path, replaces: true)
        defer { target.abandon() }
        var progress = ProgressLine("copying, bytes", style)
        defer { progress.finish() }
        var status = stat()
        let all = fstat(source, &status) == 0 ? Int64(status.st_size) : nil
        var done: Int64 = 0
        while true {
            let piece = try [UInt8](unsafeUninitializedCapacity: pieceBytes) { buffer, count in
                let got = pread(source, buffer.baseAddress, pieceBytes, off_t(done))
                guard got >= 0 else { throw ExitCode.systemError(from, .inputOutput) }
                count = got
            }
            if piece.isEmpty { break }
            try target.write(piece)
            done += Int64(piece.count)
            progress.show(done, of: all)
        }
        try target.finish()
    }

    /// Gives the file the owner of the one whose place it takes, or of the folder: root restores
    /// for the server's user.
    private static func own(_ path: String, as data: String) throws(ExitCode) {
        guard geteuid() == 0 else { return }
        let folder = data.lastIndex(of: "/").map { String(data[...$0]) } ?? "."
        var status = stat()
        guard stat(data, &status) == 0 || stat(folder, &status) == 0,
            chown(path, status.st_uid, status.st_gid) == 0
        else { throw ExitCode.systemError(path, .inputOutput) }
    }
}
