import CCurl
import Synchronization

/// The requests that are under way at once, and the connections that they leave to later ones.
///
/// It is used on one queue. Only its ``CurlWaker`` may be used elsewhere.
final class CurlMulti {
    /// Connections that are kept for later requests; the one that wasn't used for the longest
    /// time goes.
    static let connectionsMax = 64

    let library: CurlLibrary
    private let handle: UnsafeMutableRawPointer
    private let waker: CurlWaker

    /// - Throws: `HTTPFailure` when there is no memory or no descriptor for it.
    init(_ library: CurlLibrary, waker: CurlWaker) throws(HTTPFailure) {
        guard let handle = grove_curl_multi(library.functions, Self.connectionsMax) else {
            throw HTTPFailure("libcurl has no memory for requests")
        }
        // Without descriptors to be woken by, it would be made all the same.
        guard grove_curl_multi_wakeup(library.functions, handle) == CURLM_OK else {
            grove_curl_multi_cleanup(library.functions, handle)
            throw HTTPFailure("libcurl has no descriptors for requests")
        }
        self.library = library
        self.handle = handle
        self.waker = waker
        waker.attach(library, handle)
    }

    deinit {
        waker.detach()
        grove_curl_multi_cleanup(library.functions, handle)
    }

    /// Begins a request.
    ///
    /// - Returns: Whether the library took it.
    func add(_ transfer: CurlTransfer) -> Bool {
        grove_curl_multi_add(library.functions, handle, transfer.easy) == CURLM_OK
    }

    /// Ends a request. One that has no whole answer yet ends with its connection.
    func remove(_ transfer: CurlTransfer) {
        _ = grove_curl_multi_remove(library.functions, handle, transfer.easy)
    }

    /// Does what can be done without waiting.
    ///
    /// - Returns: The requests that have ended, by the address of their handle, and how.
    func perform() -> [(easy: UInt, code: CURLcode)] {
        _ = grove_curl_multi_perform(library.functions, handle)
        var ended: [(easy: UInt, code: CURLcode)] = []
        var code = CURLE_OK
        while let easy = grove_curl_multi_ended(library.functions, handle, &code) {
            ended.append((UInt(bitPattern: easy), code))
        }
        return ended
    }

    /// Waits until something can be done or the waker is called; whether that can be waited for.
    func poll() -> Bool {
        // At most ten seconds, in case of anything that the library doesn't wake for. It knows
        // its own time limits.
        grove_curl_multi_poll(library.functions, handle, 10_000) == CURLM_OK
    }
}

/// Wakes the thread that waits for requests, from any thread.
final class CurlWaker: Sendable {
    private let target = Mutex<(library: CurlLibrary, handle: UInt)?>(nil)

    /// Ends the wait that is on, or else the next one. Does nothing when there is nobody to wake.
    func wake() {
        target.withLock { target in
            guard let target, let handle = UnsafeMutableRawPointer(bitPattern: target.handle)
            else { return }
            _ = grove_curl_multi_wakeup(target.library.functions, handle)
        }
    }

    fileprivate func attach(_ library: CurlLibrary, _ handle: UnsafeMutableRawPointer) {
        let handle = UInt(bitPattern: handle)
        target.withLock { $0 = (library, handle) }
    }

    fileprivate func detach() { target.withLock { $0 = nil } }
}
