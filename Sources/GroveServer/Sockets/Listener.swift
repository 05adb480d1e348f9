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
    var isResting = false

    init(_ bound: BoundSocket, queue: DispatchQueue) {
        let socket = bound.socket
        self.socket = socket
        file = bound.file
        isEncrypted = bound.isEncrypted
        speech = bound.speech
        source = DispatchSource.makeReadSource(fileDescriptor: socket.fd, queue: queue)
        source.setCancelHandler { withExtendedLifetime(socket) {} }
    }
}
