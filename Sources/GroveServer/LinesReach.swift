import Glibc
import GroveNetwork
import GroveTLS

/// Who can connect to the addresses of lines. What is open besides shouldn't let in more.
enum LinesReach {
    /// Some users of this machine: the permissions of Unix sockets, or clients' certificates, keep
    /// the others out.
    case someUsers
    /// All users of this machine.
    case allUsers
    /// Other machines, too.
    case otherMachines
}

extension ServerOptions {
    /// How far lines reach.
    var linesReach: LinesReach {
        guard (listen + listenTLS).allSatisfy(\.isLoopback) else { return .otherMachines }
        // Who may write to the file of a Unix socket may connect.
        let areFilesClosed = unixSocketMode & S_IWOTH == 0 && listen.allSatisfy(\.isUnix)
        let areCertified = listenTLS.isEmpty || tls.clientCertificates == .required
        return areFilesClosed && areCertified ? .someUsers : .allUsers
    }
}
