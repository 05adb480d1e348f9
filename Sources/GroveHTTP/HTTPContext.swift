import GroveWire
import OrderedJSON

/// What all connections of one queue that speak HTTP share: settings, the present time, and buffers
/// that are used for one request after the other.
package struct HTTPContext: Sendable {
    package var settings: HTTPSettings {
        didSet { allowedHost = [] }
    }
    /// The present time, in milliseconds of uptime.
    package var now: Int64 = 0
    /// The same in seconds since 1970.
    package var seconds: Int64 = 0 {
        didSet { if seconds != oldValue { fields = Self.fields(at: seconds) } }
    }
    /// What is left of the work of a connection's turn.
    package var work = HTTPLimits.workPerTurnMax
    /// Whether commits return.
    package var isLive = true
    /// Whether events can be accepted.
    package var isReady = true
    /// Whether connections keep ``HTTPConnection/entries``.
    package var logsAnswers = false
    /// Answers by the first digit of their status.
    package private(set) var answers: [Int64] = Array(repeating: 0, count: 6)
    /// The lines for the line protocol, for ``HTTPConnection/Action/lines``.
    package var lines = JSONWriter()
    var document = JSONDocument()
    /// What every answer has, from the end of its status to the value of `Cache-Control`.
    private(set) var fields = fields(at: 0)
    /// The last `Host` that was allowed: most requests have the same one.
    var allowedHost: ArraySlice<UInt8> = []
    let router = HTTPRouter(HTTPRoute.all)

    package init(_ settings: HTTPSettings) { self.settings = settings }

    private static func fields(at seconds: Int64) -> [UInt8] {
        var writer = JSONWriter()
        writer.literal("\r\nDate: ")
        writer.raw(HTTPDate.text(of: seconds))
        writer.literal("\r\nX-Content-Type-Options: nosniff\r\n")
        writer.literal("Cross-Origin-Resource-Policy: same-origin\r\n")
        writer.literal("Referrer-Policy: no-referrer\r\nCache-Control: ")
        return writer.bytes
    }

    mutating func countAnswer(_ status: Int) { answers[status / 100] += 1 }
}
