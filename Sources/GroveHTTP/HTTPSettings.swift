import GroveWire

/// The configuration of everything that speaks HTTP.
package struct HTTPSettings: Sendable {
    /// Names by which the server may be called, besides `localhost` and addresses. Lower case.
    package var hosts: Set<String> = []
    /// Origins of other pages that may use the API, such as `https://shop.example`. Lower case.
    package var origins: Set<String> = []
    /// Whether `/` and `/assets/` are there.
    package var hasConsole = true
    /// Bytes of a body; those of a line.
    package var bodyBytesMax = 1 << 20
    /// Time from the first byte of a request to its last, and of a new connection's silence.
    package var requestMilliseconds: Int64 = 10_000
    /// Time between two requests of a connection.
    package var idleMilliseconds: Int64 = 60_000
    /// Nesting of a line, the request object counted as 1.
    package var depthMax = 64
    /// JSON values of a line.
    package var valuesMax = 100_000
    /// The files of the console by their paths.
    package var assets = HTTPAssets()
    /// Turns the JSON of a reply to `stats` into the text that Prometheus reads.
    package var metricsText: @Sendable ([UInt8]) -> [UInt8] = { $0 }

    package init() {}
}

/// The bounds of HTTP that aren't configurable, each with its reason (limits.md, "HTTP").
package enum HTTPLimits {
    /// Bytes of a token in `Authorization`: a token of Grove has fewer than 100.
    package static let tokenBytesMax = 256
    /// Bytes of an `Idempotency-Key`, as of every dedup key.
    package static let keyBytesMax = 200
    /// Bytes that a client may send before it has the answer to its request; past them its socket
    /// isn't read.
    package static let backlogBytesMax = 16 << 10
    /// Bytes that wait for the socket, past which no more lines become answers: as for TLS.
    package static let outboundBytesMax = 64 << 10
    /// Requests of one connection in one turn of the queue.
    package static let requestsPerTurnMax = 64
    /// Time between two comments of a stream without records, in milliseconds. Proxies often close
    /// a connection after a minute of silence.
    package static let streamHeartbeatMilliseconds: Int64 = 15_000
    /// Time for which a page of another origin may remember what it may do, in seconds.
    static let preflightSeconds = 600
}
