import Dispatch
import GroveNetwork

/// A listening socket and its source. Confined to the io queue.
final class Listener {
    let socket: Socket
    let file: UnixSocketFile?
    let source: any DispatchSourceRead
    /// Whether its connections begin with TLS.
    let isEncrypted: Bool
    /// What its clients speak.
    let speech: BoundSocket.Speech
    /// Whether it is the standard address of HTTP, which nobody has named.
    let isAutomatic: Bool
    /// Whether its clients must show a token also while no principal exists.
    var wantsToken: Bool
    var isResting = false

    init(_ bound: BoundSocket, queue: DispatchQueue) {
        let socket = bound.socket
        self.socket = socket
        file = bound.file
        isEncrypted = bound.isEncrypted
        speech = bound.speech
        isAutomatic = bound.isAutomatic
        wantsToken = bound.wantsToken
        source = DispatchSource.makeReadSource(fileDescriptor: socket.fd, queue: queue)
        source.setCancelHandler { withExtendedLifetime(socket) {} }
    }
}
