// Bounds of requests over HTTP that an operator can't set, each with its reason.

extension HTTPURL {
    /// Bytes of a URL; servers accept less.
    static let bytesMax = 16_384
}

extension HTTPAnswer {
    /// Bytes of the status line and the headers.
    static let headBytesMax = 65_536

    /// The longest pause that a server can ask for: a day.
    package static let retryAfterMax = Duration.seconds(86_400)
}

extension NameLookups {
    /// Names that are looked up at once.
    static let threadsMax = 8

    /// Names that wait for a thread; more are refused.
    static let waitingMax = 256
}

extension CurlLoop {
    /// The time to connect: less than a request's, so that the next attempt can soon use another
    /// address of the name.
    static let connectTimeMax = Duration.seconds(10)

    /// The time after which an unused connection is closed.
    static let idleTimeMax = Duration.seconds(15)
}

extension CurlMulti {
    /// Connections kept for later requests; beyond that, the least recently used is closed.
    static let connectionsMax = 64
}

extension CurlLibrary {
    /// The oldest version with all functions that are used: 7.80, with `CURLOPT_PREREQFUNCTION`.
    static let versionMin: UInt32 = 0x07_50_00
}
