import CCurl
import Synchronization

/// Ends the wait of a ``CurlMulti``, from any thread.
final class CurlWaker: Sendable {
    private let target = Mutex<(library: CurlLibrary, handle: UInt)?>(nil)

    /// Ends the present wait, or else the next one. Does nothing without a ``CurlMulti``.
    func wake() {
        target.withLock { target in
            guard let target, let handle = UnsafeMutableRawPointer(bitPattern: target.handle)
            else { return }
            _ = grove_curl_multi_wakeup(target.library.functions, handle)
        }
    }

    func attach(_ library: CurlLibrary, _ handle: UnsafeMutableRawPointer) {
        let handle = UInt(bitPattern: handle)
        target.withLock { $0 = (library, handle) }
    }

    func detach() { target.withLock { $0 = nil } }
}
