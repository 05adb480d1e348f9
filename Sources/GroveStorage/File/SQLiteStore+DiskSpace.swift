import GroveEngine

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

extension SQLiteStore {
    /// Writes the bytes that must be free beside the data file and removes them. Then moves the log
    /// into the data file: pages that changed many times need much less room there, and the log is
    /// used from its start again. Else it would take all the room that was made. At last writes
    /// one page through the log, because commits need their room there.
    ///
    /// - Throws: `.full` when one of the three finds no room. Everything else ends the life of the
    ///   store.
    public func probeDiskSpace() throws(StoreError) {
        let tables = try tables()
        guard StoreFile.hasRoom(beside: path, bytes: StoreLimits.diskSpaceBytesMin) else {
            throw .full
        }
        if connection.pagesInLog > 0 { try moveLog() }
        state = try transaction(tables) { (tables) throws(SQLiteFailure) in
            // SQLite doesn't write a row that stays the same.
            var other = state.meta
            other.head += 1
            try tables.meta.write(other)
            var next = state
            try writeCounts(tables, &next)
            return next
        }
    }
}

extension StoreFile {
    /// Whether a file of `bytes` bytes finds room in the directory of the data file `path`.
    ///
    /// The file loses its name before it is written, so a crash leaves an empty file at most, which
    /// the next call removes. Any other file of that name stays. A file that can't be created for
    /// another reason doesn't count as a lack of room.
    static func hasRoom(beside path: String, bytes: Int) -> Bool {
        let name = path + ".room"
        removeIfEmpty(name)
        let descriptor = open(name, O_WRONLY | O_CREAT | O_EXCL)
        guard descriptor >= 0 else { return !isLackOfRoom(errno) }
        unlink(name)
        defer { close(descriptor) }
        let zeros = [UInt8](repeating: 0, count: min(bytes, 64 << 10))
        var written = 0
        while written < bytes {
            let count = write(descriptor, zeros, min(zeros.count, bytes - written))
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            written += count
        }
        return true
    }

    private static func removeIfEmpty(_ name: String) {
        var status = stat()
        guard lstat(name, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_size == 0,
            status.st_nlink == 1
        else { return }
        unlink(name)
    }

    private static func isLackOfRoom(_ error: Int32) -> Bool { error == ENOSPC || error == EDQUOT }
}
