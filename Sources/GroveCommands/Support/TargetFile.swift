import ArgumentParser

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A file that appears under its name only when it is whole: until then it is `NAME.part`.
final class TargetFile {
    let path: String
    /// Its name until it is whole.
    let partial: String
    private let replaces: Bool
    private let link: Link
    private var descriptor: Int32

    /// Gives a file a second name, unless that is taken: 0, or -1 and `errno`.
    typealias Link = (_ from: String, _ to: String) -> Int32

    /// Begins a file.
    ///
    /// - Parameters:
    ///   - replaces: Whether a file of that name may be there.
    ///   - link: What gives a file a second name; another than the system's in tests.
    /// - Throws: `EX_CANTCREAT`, with a sentence on standard error.
    init(
        _ path: String, replaces: Bool,
        link: @escaping Link = { from, to in TargetFile.systemLink(from, to) }
    ) throws(ExitCode) {
        self.path = path
        self.replaces = replaces
        self.link = link
        partial = path + ".part"
        guard replaces || access(path, F_OK) != 0 else {
            Output.note("error: \(path) is there already; --force replaces it")
            throw ExitCode(EX_CANTCREAT)
        }
        descriptor = open(partial, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw TargetFile.failed(partial, EX_CANTCREAT) }
        do throws(ExitCode) { try own() } catch {
            close(descriptor)
            descriptor = -1
            throw error
        }
        guard ftruncate(descriptor, 0) == 0 else {
            throw TargetFile.failed(partial, EX_CANTCREAT)
        }
    }

    /// Makes sure that nobody else writes the file, and that it is the one that has the name.
    private func own() throws(ExitCode) {
        let isLocked = flock(descriptor, LOCK_EX | LOCK_NB) == 0
        guard isLocked || errno == EWOULDBLOCK else {
            let failure = TargetFile.failed(partial, EX_CANTCREAT)
            removeIfEmpty()
            throw failure
        }
        guard isLocked, TargetFile.isNamed(partial, descriptor) else {
            Output.note("error: \(partial) is being written by another program")
            throw ExitCode(EX_CANTCREAT)
        }
    }

    /// Removes what was made by opening it; never another program's.
    private func removeIfEmpty() {
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_size == 0,
            TargetFile.isNamed(partial, descriptor)
        else { return }
        unlink(partial)
    }

    /// Whether an open file is the one that has this name.
    private static func isNamed(_ path: String, _ descriptor: Int32) -> Bool {
        var (opened, named) = (stat(), stat())
        return fstat(descriptor, &opened) == 0 && lstat(path, &named) == 0
            && opened.st_ino == named.st_ino && opened.st_dev == named.st_dev
    }

    private static func systemLink(_ from: String, _ to: String) -> Int32 {
        #if canImport(Glibc)
            Glibc.link(from, to)
        #else
            Darwin.link(from, to)
        #endif
    }

    deinit { abandon() }

    /// Appends bytes.
    func write(_ bytes: [UInt8]) throws(ExitCode) {
        guard Output.write(bytes, to: descriptor) == 0 else {
            throw TargetFile.failed(partial, EX_IOERR)
        }
    }

    /// Makes it durable, and gives it its name.
    func finish() throws(ExitCode) {
        guard fsync(descriptor) == 0 else { throw TargetFile.failed(partial, EX_IOERR) }
        if replaces {
            guard rename(partial, path) == 0 else { throw TargetFile.failed(path, EX_CANTCREAT) }
        } else if link(partial, path) == 0 {
            // Unlike `rename`, `link` fails when the name was taken in the meantime.
            unlink(partial)
        } else if TargetFile.noLinks.contains(errno) {
            try takeName()
        } else {
            throw TargetFile.failed(path, EX_CANTCREAT)
        }
        close(descriptor)
        descriptor = -1
        try syncFolder()
    }

    /// What a file system says that knows no second names: exFAT, and some network mounts.
    private static let noLinks: Set<Int32> = [EPERM, EOPNOTSUPP, ENOTSUP, ENOSYS, EXDEV]

    /// Gives the file its name where there are no second names: an empty file takes the name, if
    /// it is free, and the whole one its place. Between the two the name stands for nothing yet.
    private func takeName() throws(ExitCode) {
        let holder = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard holder >= 0 else { throw TargetFile.failed(path, EX_CANTCREAT) }
        defer { close(holder) }
        var status = stat()
        guard TargetFile.isNamed(path, holder), fstat(holder, &status) == 0, status.st_size == 0
        else {
            Output.note("error: \(path) was taken by another program")
            throw ExitCode(EX_CANTCREAT)
        }
        guard rename(partial, path) == 0 else {
            let failure = TargetFile.failed(path, EX_CANTCREAT)
            unlink(path)
            throw failure
        }
    }

    /// Removes what there is, unless it is whole.
    func abandon() {
        guard descriptor >= 0 else { return }
        // Before the lock goes: then the name may be another one's.
        unlink(partial)
        close(descriptor)
        descriptor = -1
    }

    private func syncFolder() throws(ExitCode) {
        let slash = path.lastIndex(of: "/")
        let folder = slash.map { String(path[...$0]) } ?? "."
        let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw TargetFile.failed(folder, EX_IOERR) }
        defer { close(descriptor) }
        // Where folders can't be synced, there is nothing more to be done.
        guard fsync(descriptor) == 0 || [EINVAL, EOPNOTSUPP, ENOTSUP].contains(errno) else {
            throw TargetFile.failed(folder, EX_IOERR)
        }
    }

    private static func failed(_ path: String, _ code: Int32) -> ExitCode {
        Output.note("error: \(path): \(String(cString: strerror(errno)))")
        return ExitCode(code)
    }
}
