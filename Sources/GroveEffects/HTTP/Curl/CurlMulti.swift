import CCurl

/// The requests that run at once, and the connections kept for later ones. Confined to one queue,
/// except for its ``CurlWaker``.
final class CurlMulti {
    let library: CurlLibrary
    private let handle: UnsafeMutableRawPointer
    private let waker: CurlWaker

    /// - Throws: `HTTPFailure` without memory or descriptors.
    init(_ library: CurlLibrary, waker: CurlWaker) throws(HTTPFailure) {
        guard let handle = grove_curl_multi(library.functions, Self.connectionsMax) else {
            throw HTTPFailure("libcurl has no memory for requests")
        }
        // The library makes one without the descriptors for waking, too.
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

    /// Starts a request.
    ///
    /// - Returns: Whether the library accepted it.
    func add(_ transfer: CurlTransfer) -> Bool {
        grove_curl_multi_add(library.functions, handle, transfer.easy) == CURLM_OK
    }

    /// Ends a request. Without a whole answer, its connection closes, too.
    func remove(_ transfer: CurlTransfer) {
        _ = grove_curl_multi_remove(library.functions, handle, transfer.easy)
    }

    /// Does what is possible without waiting.
    ///
    /// - Returns: The requests that have ended, by the address of their handle, with their codes.
    func perform() -> [(easy: UInt, code: CURLcode)] {
        _ = grove_curl_multi_perform(library.functions, handle)
        var ended: [(easy: UInt, code: CURLcode)] = []
        var code = CURLE_OK
        while let easy = grove_curl_multi_ended(library.functions, handle, &code) {
            ended.append((UInt(bitPattern: easy), code))
        }
        return ended
    }

    /// Waits until the library can continue, or for the waker. Returns false if it can't wait.
    func poll() -> Bool {
        // At most ten seconds, in case the library misses an event. It has its own time limits.
        grove_curl_multi_poll(library.functions, handle, 10_000) == CURLM_OK
    }
}
