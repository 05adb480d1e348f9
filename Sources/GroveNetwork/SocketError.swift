#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A system call on a socket that failed.
public struct SocketError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The call's name.
    public let call: String
    /// The `errno` it left.
    public let code: Int32

    /// A failed call.
    package init(call: String, code: Int32) {
        self.call = call
        self.code = code
    }

    /// The failure of the last call.
    package static func last(_ call: String) -> SocketError {
        SocketError(call: call, code: errno)
    }

    /// Whether the machine has no addresses of the kind.
    package var isMissingFamily: Bool { code == EAFNOSUPPORT || code == EADDRNOTAVAIL }

    /// The system's words for the error.
    package var reason: String { String(cString: strerror(code)) }

    /// The call and the system's words for the error.
    public var description: String { "\(call): \(reason)" }
}
