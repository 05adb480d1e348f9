import GroveClient

/// What a benchmark shall do; the same for all of its threads.
struct BenchPlan: Sendable {
    var address: ServerAddress
    /// Connections in all, and how many requests each keeps under way.
    var connections: Int
    var pipeline: Int
    var threads: Int
    var machine: String
    var instancePrefix: String
    /// How many instances the events go to, at random, alike.
    var instances: Int
    /// The event as JSON.
    var event: [UInt8]
    var usesDedup: Bool
    /// When to stop sending: after so many events in all, or after so long.
    var eventsMax: Int?
    var duration: Duration
    /// How long to wait for the last replies, and for a connection.
    var timeout: Duration
    var reconnects: Bool
    var recordPath: String?
    /// Part of every dedup key, so that two runs don't repeat each other's events.
    var run: String

    /// How many of `count` things the part with this index gets when `parts` share them.
    static func share(of count: Int, index: Int, parts: Int) -> Int {
        count / parts + (index < count % parts ? 1 : 0)
    }
}
