import Glibc

/// A system call on a socket that failed.
public struct SocketError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The call's name.
    public let call: String
    /// The `errno` it left.
    public let code: Int32

    /// The failure of the call that was made last.
    static func last(_ call: String) -> SocketError { SocketError(call: call, code: errno) }

    /// Whether the machine has no such kind of address at all.
    var isMissingFamily: Bool { code == EAFNOSUPPORT || code == EADDRNOTAVAIL }

    /// The call and the system's words for the error.
    public var description: String { "\(call): \(String(cString: strerror(code)))" }
}
