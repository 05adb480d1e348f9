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
    private var descriptor: Int32

    /// Begins a file.
    ///
    /// - Parameter replaces: Whether a file of that name may be there.
    /// - Throws: `EX_CANTCREAT`, with a sentence on standard error.
    init(_ path: String, replaces: Bool) throws(ExitCode) {
        self.path = path
        self.replaces = replaces
        partial = path + ".part"
        guard replaces || access(path, F_OK) != 0 else {
            Output.note("error: \(path) is there already; --force replaces it")
            throw ExitCode(EX_CANTCREAT)
        }
        descriptor = open(partial, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw TargetFile.failed(partial, EX_CANTCREAT) }
        guard isOurs() else {
            close(descriptor)
            descriptor = -1
            Output.note("error: \(partial) is being written by another program")
            throw ExitCode(EX_CANTCREAT)
        }
        guard ftruncate(descriptor, 0) == 0 else {
            throw TargetFile.failed(partial, EX_CANTCREAT)
        }
    }

    /// Whether nobody else writes the file, and it is the one that has the name.
    private func isOurs() -> Bool {
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else { return false }
        var (opened, named) = (stat(), stat())
        return fstat(descriptor, &opened) == 0 && lstat(partial, &named) == 0
            && opened.st_ino == named.st_ino && opened.st_dev == named.st_dev
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
        } else {
            // Unlike `rename`, `link` fails when the name was taken in the meantime.
            guard link(partial, path) == 0 else { throw TargetFile.failed(path, EX_CANTCREAT) }
            unlink(partial)
        }
        close(descriptor)
        descriptor = -1
        try syncFolder()
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
        guard fsync(descriptor) == 0 else { throw TargetFile.failed(folder, EX_IOERR) }
    }

    private static func failed(_ path: String, _ code: Int32) -> ExitCode {
        Output.note("error: \(path): \(String(cString: strerror(errno)))")
        return ExitCode(code)
    }
}
