import Glibc
import GroveNetwork

/// The failure to listen on an address, with advice.
public struct ListenFailure: Error, Sendable, Equatable {
    /// The address.
    public let address: SocketAddress
    /// The problem and its remedy, for the person who started the server; one line.
    public let message: String

    /// Whether the machine has no addresses of this kind.
    let isMissingFamily: Bool

    init(_ address: SocketAddress, _ message: String) {
        self.address = address
        self.message = message
        isMissingFamily = false
    }

    /// A failed system call, with advice for errors that have one.
    init(_ address: SocketAddress, _ error: SocketError) {
        let advice = Self.advice(error.code, isUnix: address.isUnix)
        self.address = address
        message = advice.map { "\(error); \($0)" } ?? "\(error)"
        isMissingFamily = error.isMissingFamily
    }

    private static func advice(_ code: Int32, isUnix: Bool) -> String? {
        switch code {
        case EADDRINUSE where !isUnix:
            "stop what listens there, or choose another port with --listen"
        case EACCES where !isUnix: "choose a port above 1023"
        case EADDRNOTAVAIL: "this machine has no such address"
        case EAFNOSUPPORT: "this machine has no addresses of that kind"
        case EACCES, EPERM: "let this user write to the directory, or choose another path"
        case EROFS: "the file system can't be written to; choose another path"
        case ENOSPC, EDQUOT: "make room there, or choose another path"
        case EMFILE, ENFILE: "allow more open files (ulimit -n)"
        default: nil
        }
    }
}
