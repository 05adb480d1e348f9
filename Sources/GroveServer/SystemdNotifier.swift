import Foundation
import Glibc
import GroveNetwork

/// Notifies systemd of the state of the process, for units of `Type=notify` (sd_notify(3)).
/// Everywhere else nothing happens.
enum SystemdNotifier {
    /// A state of the process.
    enum Notice: String {
        /// Clients can connect.
        case ready = "READY=1"
        /// A graceful stop has begun.
        case stopping = "STOPPING=1"
    }

    /// Sends a notice, if the environment names a socket for it.
    ///
    /// Failures are ignored, because the server can serve without systemd, which has time limits
    /// of its own.
    static func notify(
        _ notice: Notice,
        socket path: String? = ProcessInfo.processInfo.environment["NOTIFY_SOCKET"]
    ) {
        guard let path, let (address, length) = address(path) else { return }
        let fd = Glibc.socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard fd >= 0 else { return }
        let socket = Socket(owning: fd)
        let text = Array(notice.rawValue.utf8)
        _ = withUnsafePointer(to: address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                sendto(socket.fd, text, text.count, Int32(MSG_NOSIGNAL), $0, length)
            }
        }
    }

    /// The address of a path, or of an abstract name, which begins with `@`; `nil` when it is
    /// neither or too long.
    static func address(_ path: String) -> (sockaddr_un, socklen_t)? {
        var bytes = Array(path.utf8)
        guard let first = bytes.first, first == UInt8(ascii: "/") || first == UInt8(ascii: "@")
        else { return nil }
        if first == UInt8(ascii: "@") { bytes[0] = 0 }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let room = MemoryLayout.size(ofValue: address.sun_path)
        guard bytes.count < room else { return nil }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        let head = MemoryLayout<sockaddr_un>.size - room
        return (address, socklen_t(head + bytes.count))
    }
}
