/// The configuration of everything that speaks HTTP.
package struct HTTPSettings: Sendable {
    /// Names by which the server may be called, besides `localhost` and addresses. Lower case.
    package var hosts: Set<String> = []
    /// Origins of other pages that may use the API, such as `https://shop.example`. Lower case.
    package var origins: Set<String> = []
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
    /// The files of the console by their paths; none if it is off.
    package var assets = HTTPAssets()
    /// Turns the JSON of a reply to `stats` into the text that Prometheus reads.
    package var metricsText: @Sendable ([UInt8]) -> [UInt8] = { $0 }

    package init() {}
}
