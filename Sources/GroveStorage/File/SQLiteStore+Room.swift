import GroveEngine

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

extension SQLiteStore {
    /// Bytes that must be free for the disk to have room: a state of the largest size. What a
    /// refused commit has left in the log is used again by the next one, so that a small write
    /// alone would find room on a disk that has none.
    static let roomBytes = 1 << 20

    /// Writes as much beside the data file as must be free, and gives it back; then one page
    /// through the log, whose room is what counts in the end.
    ///
    /// - Throws: `.full` when one of the two finds no room. Everything else ends the store's life.
    public func probeDiskSpace() throws(StoreError) {
        let tables = try tables()
        guard StoreFile.hasRoom(beside: path, bytes: SQLiteStore.roomBytes) else { throw .full }
        try transaction(tables) { (tables) throws(SQLiteFailure) in
            // A row that stays the same isn't written at all.
            var other = state.meta
            other.head += 1
            try tables.meta.write(other)
            try tables.meta.write(state.meta)
        }
    }
}

extension StoreFile {
    /// Whether a file of so many bytes finds room in the directory of the data file `path`. It has
    /// no name any more while it is written, so that a crash leaves an empty one at most, which
    /// goes the next time; what else has the name stays. Where none can be made, that says nothing
    /// about room.
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
