import Glibc
import GroveNetwork

/// The file of a Unix socket that this process listens on.
///
/// The file never has wider permissions than configured. Only the file of a server that has ended
/// without removing it is replaced. The directory is locked during the check and the creation of
/// the socket, so that of two servers that start together one sees the other.
final class UnixSocketFile: Sendable {
    let path: String
    private let device: dev_t
    private let inode: ino_t

    /// Attempts to lock the directory while another server starts there.
    private static let lockTries = 100
    /// The pause between two attempts.
    private static let lockPauseMicroseconds: UInt32 = 10_000

    private init(path: String, status: stat) {
        self.path = path
        device = status.st_dev
        inode = status.st_ino
    }

    /// A socket that listens at `path`, which ``SocketAddress/pathProblem(_:)`` accepts, and its
    /// file. Users who may write to the file by its `mode` may connect.
    static func listen(
        at path: String, mode: mode_t, backlog: Int32
    ) throws(ListenFailure) -> (socket: Socket, file: UnixSocketFile) {
        let address = SocketAddress.unix(path: path)
        // Closing it at the end unlocks the directory.
        let directory = try lockedDirectory(of: path, for: address)
        defer { withExtendedLifetime(directory) {} }
        try removeUnusedSocket(at: path, for: address)
        do throws(SocketError) {
            let socket = try Socket(family: AF_UNIX)
            // The file gets the permissions of the descriptor, minus the umask.
            guard fchmod(socket.fd, mode) == 0 else { throw .last("fchmod") }
            guard address.withSystemAddress({ bind(socket.fd, $0, $1) }) == 0 else {
                throw .last("bind")
            }
            do throws(SocketError) {
                var status = try lstat(path)
                if status.st_mode & 0o777 != mode {
                    // Restores the bits that the umask removed.
                    guard chmod(path, mode) == 0 else { throw .last("chmod") }
                    status = try lstat(path)
                }
                guard Glibc.listen(socket.fd, backlog) == 0 else { throw .last("listen") }
                return (socket, UnixSocketFile(path: path, status: status))
            } catch {
                unlink(path)
                throw error
            }
        } catch {
            throw ListenFailure(address, error)
        }
    }

    /// Removes the file, if it is still the one that was made.
    func remove() {
        guard let status = try? Self.lstat(path) else {
            // It has been removed already.
            return
        }
        if status.st_dev == device, status.st_ino == inode { unlink(path) }
    }

    // MARK: Unused sockets

    /// Removes the socket at `path` if no server uses it; other files are errors.
    private static func removeUnusedSocket(
        at path: String, for address: SocketAddress
    ) throws(ListenFailure) {
        let status: stat
        do throws(SocketError) {
            status = try lstat(path)
        } catch {
            if error.code == ENOENT { return }
            throw ListenFailure(address, error)
        }
        guard status.st_mode & S_IFMT == S_IFSOCK else {
            throw ListenFailure(
                address,
                "there is a file that is no socket; remove it, or choose another path")
        }
        switch probe(address) {
        case 0, EAGAIN, EINPROGRESS:
            throw ListenFailure(
                address, "another server listens there; stop it, or choose another path")
        case ENOENT: return
        case ECONNREFUSED:
            guard unlink(path) == 0 || errno == ENOENT else {
                throw ListenFailure(address, .last("unlink"))
            }
        case let code:
            let reason = String(cString: strerror(code))
            throw ListenFailure(
                address,
                "there is a socket, and whether a server listens on it can't be seen "
                    + "(\(reason)); remove it, or choose another path")
        }
    }

    /// Connects to `address`; returns 0 or the number of an error.
    private static func probe(_ address: SocketAddress) -> Int32 {
        do throws(SocketError) {
            let socket = try Socket(family: AF_UNIX)
            return address.withSystemAddress { connect(socket.fd, $0, $1) } == 0 ? 0 : errno
        } catch {
            return error.code
        }
    }

    private static func lstat(_ path: String) throws(SocketError) -> stat {
        var status = stat()
        guard Glibc.lstat(path, &status) == 0 else { throw .last("lstat") }
        return status
    }

    /// The directory of `path`, locked while it is open.
    private static func lockedDirectory(
        of path: String, for address: SocketAddress
    ) throws(ListenFailure) -> Socket {
        let name = directory(of: path)
        let fd = open(name, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard fd >= 0 else {
            let reason = String(cString: strerror(errno))
            throw ListenFailure(
                address,
                "the directory \(name) can't be opened (\(reason)); make it, and let this user "
                    + "read and write it")
        }
        let directory = Socket(owning: fd)
        for _ in 0..<lockTries {
            if flock(fd, LOCK_EX | LOCK_NB) == 0 { return directory }
            guard errno == EWOULDBLOCK || errno == EINTR else {
                throw ListenFailure(address, .last("flock"))
            }
            usleep(lockPauseMicroseconds)
        }
        throw ListenFailure(address, "another program holds a lock on the directory \(name)")
    }

    private static func directory(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }
}
