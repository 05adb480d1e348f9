import ArgumentParser
import Glibc

/// A file that gets its name only when it is complete; until then it is `NAME.part`.
final class TargetFile {
    let path: String
    /// Its name until it is complete.
    let partial: String
    private let replaces: Bool
    private let link: Link
    private let format: FormatFlags?
    private var descriptor: Int32

    /// Gives a file a second name, unless that exists: returns 0, or -1 with `errno`.
    typealias Link = (_ from: String, _ to: String) -> Int32

    /// Creates the file.
    ///
    /// - Parameters:
    ///   - replaces: Whether it may replace a file of that name.
    ///   - format: Where `--json` stands, so that programs get errors too.
    ///   - link: The system's `link`, which tests replace.
    /// - Throws: `.cannotCreate`, with a sentence on standard error.
    init(
        _ path: String, replaces: Bool, _ format: FormatFlags? = nil,
        link: @escaping Link = { from, to in Glibc.link(from, to) }
    ) throws(ExitCode) {
        self.path = path
        self.replaces = replaces
        self.link = link
        self.format = format
        partial = path + ".part"
        guard replaces || access(path, F_OK) != 0 else {
            throw ExitCode.cannotCreate(
                "\(path) is there already", advice: "; --force replaces it", format)
        }
        // Opening a pipe must not wait for its reader.
        descriptor = open(
            partial, O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw ExitCode.systemError(partial, .cannotCreate, format) }
        do throws(ExitCode) {
            try requireRegular()
            try own()
        } catch {
            close(descriptor)
            descriptor = -1
            throw error
        }
        guard ftruncate(descriptor, 0) == 0 else {
            throw ExitCode.systemError(partial, .cannotCreate, format)
        }
    }

    private func requireRegular() throws(ExitCode) {
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw ExitCode.cannotCreate(
                "\(partial) is no regular file", advice: "; remove it, or name another file",
                format)
        }
    }

    /// Locks the file against other writers, and checks that it still has the name.
    private func own() throws(ExitCode) {
        let isLocked = flock(descriptor, LOCK_EX | LOCK_NB) == 0
        guard isLocked || errno == EWOULDBLOCK else {
            let failure = ExitCode.systemError(partial, .cannotCreate, format)
            removeIfEmpty()
            throw failure
        }
        guard isLocked, TargetFile.isNamed(partial, descriptor) else {
            throw ExitCode.cannotCreate(
                "\(partial) is being written by another program", isRetryable: true, format)
        }
    }

    /// Removes the file if this program has just created it.
    private func removeIfEmpty() {
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_size == 0,
            TargetFile.isNamed(partial, descriptor)
        else { return }
        unlink(partial)
    }

    /// Whether an open file has this name.
    private static func isNamed(_ path: String, _ descriptor: Int32) -> Bool {
        var (opened, named) = (stat(), stat())
        return fstat(descriptor, &opened) == 0 && lstat(path, &named) == 0
            && opened.st_ino == named.st_ino && opened.st_dev == named.st_dev
    }

    deinit { abandon() }

    func write(_ bytes: [UInt8]) throws(ExitCode) {
        guard Output.write(bytes, to: descriptor) == 0 else {
            throw ExitCode.systemError(partial, .inputOutput, format)
        }
    }

    /// Makes the file durable and gives it its name.
    func finish() throws(ExitCode) {
        guard fsync(descriptor) == 0 else {
            throw ExitCode.systemError(partial, .inputOutput, format)
        }
        if replaces {
            guard rename(partial, path) == 0 else {
                throw ExitCode.systemError(path, .cannotCreate, format)
            }
        } else if link(partial, path) == 0 {
            // Unlike `rename`, `link` fails when the name exists by now.
            unlink(partial)
        } else if TargetFile.noLinks.contains(errno) {
            try claimName()
        } else {
            throw ExitCode.systemError(path, .cannotCreate, format)
        }
        close(descriptor)
        descriptor = -1
        try syncFolder()
    }

    /// Errors of file systems without second names: exFAT, and some network mounts.
    private static let noLinks: Set<Int32> = [EPERM, EOPNOTSUPP, ENOTSUP, ENOSYS, EXDEV]

    /// Gives the file its name on a file system without second names: creates an empty file of that
    /// name, if it is free, then replaces it. In between the empty file is visible.
    private func claimName() throws(ExitCode) {
        let holder = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard holder >= 0 else { throw ExitCode.systemError(path, .cannotCreate, format) }
        defer { close(holder) }
        var status = stat()
        guard TargetFile.isNamed(path, holder), fstat(holder, &status) == 0, status.st_size == 0
        else {
            throw ExitCode.cannotCreate("\(path) was taken by another program", format)
        }
        guard rename(partial, path) == 0 else {
            let failure = ExitCode.systemError(path, .cannotCreate, format)
            unlink(path)
            throw failure
        }
    }

    /// Removes the file, unless it is complete.
    func abandon() {
        guard descriptor >= 0 else { return }
        // Before the lock is released: afterwards the name may belong to another program.
        unlink(partial)
        close(descriptor)
        descriptor = -1
    }

    private func syncFolder() throws(ExitCode) {
        let slash = path.lastIndex(of: "/")
        let folder = slash.map { String(path[...$0]) } ?? "."
        let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw ExitCode.systemError(folder, .inputOutput, format) }
        defer { close(descriptor) }
        // Some file systems can't sync folders.
        guard fsync(descriptor) == 0 || [EINVAL, EOPNOTSUPP, ENOTSUP].contains(errno) else {
            throw ExitCode.systemError(folder, .inputOutput, format)
        }
    }
}

extension ExitCode {
    /// Says why a file can't be created, and returns the code to throw.
    ///
    /// - Parameters:
    ///   - advice: What people can do about it.
    ///   - isRetryable: Whether it may be created a little later.
    ///   - format: Where `--json` stands, so that programs get the error too.
    fileprivate static func cannotCreate(
        _ message: String, advice: String = "", isRetryable: Bool = false,
        _ format: FormatFlags?
    ) -> ExitCode {
        Output.note("error: \(message)\(advice)")
        format?.showFailure(.cannotCreate, message, isRetryable: isRetryable)
        return .cannotCreate
    }
}
