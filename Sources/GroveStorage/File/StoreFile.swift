import GroveEngine
import Synchronization

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The data file as a file: its path, its lock, and its header, read without SQLite. Nothing here
/// changes the content of an existing file.
///
/// The lock is `flock` on a separate descriptor. On Linux it is independent of the POSIX locks that
/// SQLite takes. It ends with the process, however that ends, and is checked before SQLite opens
/// the file. Closing any descriptor of a file drops the process's POSIX locks on it. So this
/// descriptor is closed after SQLite's, and a table of open files rejects a second open in the same
/// process before it gets a descriptor.
struct StoreFile: ~Copyable {
    let path: String

    private let lock: HeldLock

    var descriptor: Int32 { lock.descriptor }

    /// A locked descriptor. It ends with the last of the values that share it.
    private final class HeldLock: Sendable {
        let descriptor: Int32
        let identity: Identity

        init(_ descriptor: Int32, _ identity: Identity) {
            self.descriptor = descriptor
            self.identity = identity
        }

        deinit {
            // Closing alone isn't enough: a child process that is being started has a copy.
            _ = flock(descriptor, LOCK_UN)
            _ = close(descriptor)
            let gone = identity
            StoreFile.openFiles.withLock { _ = $0.remove(gone) }
        }
    }

    /// Identifies the file independently of its name.
    private struct Identity: Hashable {
        var device: UInt64
        var inode: UInt64

        init(_ status: stat) {
            device = UInt64(status.st_dev)
            inode = UInt64(status.st_ino)
        }
    }

    private static let openFiles = Mutex<Set<Identity>>([])

    /// Bytes of the header of an SQLite file.
    private static let headerBytes = 100

    private init(_ path: String, _ lock: HeldLock) {
        self.path = path
        self.lock = lock
    }

    /// Returns the same locked file for a store. The lock ends when both are gone, so not before
    /// SQLite has closed the file.
    borrowing func shared() -> StoreFile { StoreFile(path, lock) }

    /// Whether the file still has its name.
    var isNamed: Bool {
        var status = stat()
        return lstat(path, &status) == 0 && Identity(status) == lock.identity
    }

    /// Refuses the name of what belongs to another data file, and is removed with it. The log of a
    /// data file is no SQLite database, so it would look like a destroyed one.
    ///
    /// - Parameter path: A resolved path.
    /// - Throws: `.foreign`.
    static func requireName(_ path: String) throws(StoreOpenError) {
        let endings = FormerFile.companions + ["-shm", "-crash", SQLiteStore.endingOfCopy]
        for ending in endings where path.hasSuffix(ending) {
            throw .foreign(
                "\(path) has the name of what belongs to \(path.dropLast(ending.count)): name the "
                    + "data file")
        }
    }

    /// Opens and locks an existing file without changing it. Returns `nil` when there is none.
    ///
    /// - Parameter forReading: Whether it is only read. Then it needs no permission to write.
    /// - Throws: `.owned` when it is locked; `.foreign` when it isn't a regular file.
    static func open(
        _ path: String, forReading: Bool = false
    ) throws(StoreOpenError) -> StoreFile? {
        var status = stat()
        guard lstat(path, &status) == 0 else {
            if errno == ENOENT { return nil }
            throw .inputOutput(StoreFile.systemError("\(path) cannot be looked at"))
        }
        try requireRegular(status, path)
        return try StoreFile(locking: path, status, flags: forReading ? O_RDONLY : O_RDWR)
    }

    /// Creates an empty file and locks it.
    static func create(_ path: String) throws(StoreOpenError) -> StoreFile {
        let made = Self.open(path, O_RDWR | O_CREAT | O_EXCL)
        guard made >= 0 else {
            if errno == EEXIST { throw .owned("another server is making it at this moment") }
            if [ENOSPC, EDQUOT].contains(errno) { throw .full }
            throw .inputOutput(StoreFile.systemError("\(path) cannot be made"))
        }
        var status = stat()
        _ = fstat(made, &status)
        _ = close(made)
        return try StoreFile(locking: path, status, flags: O_RDWR)
    }

    private init(
        locking path: String, _ expected: stat, flags: Int32
    ) throws(StoreOpenError) {
        let identity = Identity(expected)
        let isFree = StoreFile.openFiles.withLock { $0.insert(identity).inserted }
        guard isFree else { throw .owned("this process has it open already") }
        var descriptor: Int32 = -1
        do throws(StoreOpenError) {
            descriptor = try StoreFile.lock(path, expected, flags)
        } catch {
            StoreFile.openFiles.withLock { _ = $0.remove(identity) }
            throw error
        }
        self.init(path, HeldLock(descriptor, identity))
    }

    private static func lock(
        _ path: String, _ expected: stat, _ flags: Int32
    ) throws(StoreOpenError) -> Int32 {
        let descriptor = open(path, flags)
        guard descriptor >= 0 else {
            throw .inputOutput(StoreFile.systemError("\(path) cannot be opened"))
        }
        var status = stat()
        guard fstat(descriptor, &status) == 0, Identity(status) == Identity(expected) else {
            _ = close(descriptor)
            throw .owned("it was replaced while it was being opened")
        }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            let code = errno
            _ = close(descriptor)
            if code == EWOULDBLOCK {
                throw .owned("another server, or a command such as grove backup, has it open")
            }
            throw .inputOutput("it cannot be locked (errno \(code))")
        }
        return descriptor
    }

    static func open(_ path: String, _ flags: Int32) -> Int32 {
        #if canImport(Darwin)
            Darwin.open(path, flags | O_NOFOLLOW | O_CLOEXEC, 0o600)
        #else
            Glibc.open(path, flags | O_NOFOLLOW | O_CLOEXEC, 0o600)
        #endif
    }

    private static func requireRegular(
        _ status: stat, _ path: String
    ) throws(StoreOpenError) {
        switch status.st_mode & S_IFMT {
        case S_IFREG: return
        case S_IFLNK: throw .foreign("\(path) is a symbolic link; name the file itself")
        case S_IFDIR: throw .foreign("\(path) is a directory; name a file")
        default: throw .foreign("\(path) is no regular file; name a file")
        }
    }

    /// The fields of the header, read without SQLite.
    struct Header {
        var pageBytes: Int
        var pages: Int
        var isWriteAhead: Bool
        var schema: Int64
        var applicationID: Int64
        var fileBytes: Int
    }

    /// Reads the header without SQLite.
    ///
    /// - Throws: `.foreign` when it isn't the header of an SQLite file, or the file is empty.
    borrowing func header() throws(StoreOpenError) -> Header {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else {
            throw .inputOutput(StoreFile.systemError("\(path) cannot be looked at"))
        }
        guard status.st_size > 0 else {
            throw .foreign("\(path) is empty; if nothing was lost, remove it to start anew")
        }
        var bytes = [UInt8](repeating: 0, count: Self.headerBytes)
        let count = pread(descriptor, &bytes, Self.headerBytes, 0)
        guard count >= 0 else {
            throw .inputOutput(StoreFile.systemError("\(path) cannot be read"))
        }
        guard count == Self.headerBytes, bytes.starts(with: Array("SQLite format 3\0".utf8))
        else { throw .foreign("\(path) is not a Grove data file") }
        func integer(_ offset: Int, _ length: Int) -> Int {
            bytes[offset..<(offset + length)].reduce(0) { $0 << 8 | Int($1) }
        }
        let pageBytes = integer(16, 2) == 1 ? 65_536 : integer(16, 2)
        return Header(
            pageBytes: pageBytes, pages: integer(28, 4),
            isWriteAhead: bytes[18] == 2 && bytes[19] == 2,
            schema: Int64(integer(60, 4)), applicationID: Int64(integer(68, 4)),
            fileBytes: Int(status.st_size))
    }

    /// Whether the file has these bytes and no others.
    borrowing func contains(_ wanted: [UInt8]) -> Bool {
        var bytes = [UInt8](repeating: 0, count: wanted.count + 1)
        let count = pread(descriptor, &bytes, bytes.count, 0)
        return count == wanted.count && bytes.starts(with: wanted)
    }

    /// Removes all permissions except the owner's.
    borrowing func makePrivate() throws(StoreOpenError) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else {
            throw .inputOutput(StoreFile.systemError("\(path) cannot be looked at"))
        }
        if status.st_mode & 0o077 == 0 { return }
        guard fchmod(descriptor, 0o600) == 0 else {
            throw .inputOutput(
                StoreFile.systemError(
                    "others may read or write \(path), and it cannot be made private"))
        }
    }

    /// Returns the size of the file at a path, or `nil` when there is none.
    static func size(_ path: String) -> Int? {
        var status = stat()
        return lstat(path, &status) == 0 ? Int(status.st_size) : nil
    }

    /// The directory of a path, which for a bare name is the present one.
    static func directory(of path: String) -> String {
        path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
    }

    /// Whether two paths are names of the same file.
    static func isSame(_ path: String, _ other: String) -> Bool {
        var (first, second) = (stat(), stat())
        return lstat(path, &first) == 0 && lstat(other, &second) == 0
            && Identity(first) == Identity(second)
    }

    /// Makes the names in the directory of a path durable.
    static func syncDirectory(of path: String) throws(StoreOpenError) {
        let directory = directory(of: path)
        let descriptor = open(directory, O_RDONLY | O_DIRECTORY)
        guard descriptor >= 0 else {
            throw .inputOutput(StoreFile.systemError("\(directory) cannot be opened"))
        }
        // Some file systems can't sync directories.
        let isSynced =
            fsync(descriptor) == 0 || [EINVAL, EOPNOTSUPP, ENOTSUP].contains(errno)
        let message = StoreFile.systemError("\(directory) cannot be synced")
        _ = close(descriptor)
        guard isSynced else { throw .inputOutput(message) }
    }

    /// Returns the absolute path with all symbolic links in its directory resolved.
    ///
    /// - Throws: `.unusablePath` when the directory is missing or the path names no file.
    static func resolve(_ path: String) throws(StoreOpenError) -> String {
        let slash = path.lastIndex(of: "/")
        let name = slash.map { String(path[path.index(after: $0)...]) } ?? path
        let directory = slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        guard !name.isEmpty, name != ".", name != "..", !path.utf8.contains(0) else {
            throw .unusablePath("'\(path)' names no file")
        }
        guard let real = realpath(directory, nil) else {
            if errno == ENOENT || errno == ENOTDIR {
                throw .unusablePath("the directory \(directory) does not exist; make it first")
            }
            throw .inputOutput(StoreFile.systemError("the directory \(directory) cannot be used"))
        }
        defer { free(real) }
        let resolved = String(cString: real)
        return resolved == "/" ? "/\(name)" : "\(resolved)/\(name)"
    }

    /// Returns `what` with the text of `errno`; must follow the failed call at once.
    static func systemError(_ what: String) -> String {
        let code = errno
        return "\(what): \(String(cString: strerror(code)))"
    }
}
