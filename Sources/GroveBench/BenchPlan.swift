import GroveClient

/// The load of a benchmark; the same for all of its threads.
package struct BenchPlan: Sendable {
    package var address: ServerAddress
    /// Connections in all.
    package var connections = 1
    /// How many requests each connection keeps under way.
    package var pipeline = 1
    package var threads = 1
    package var machine = "counter"
    package var instancePrefix = ""
    /// How many instances the events go to, at random, alike.
    package var instances = 1
    /// The event as JSON.
    package var event: [UInt8]
    package var usesDedup = false
    /// How many events to send in all; `nil` for no bound.
    package var eventsMax: Int?
    /// How long to send.
    package var duration = Duration.seconds(10)
    /// How long to wait for the last replies, and for a connection.
    package var timeout = Duration.seconds(10)
    package var reconnects = false
    package var recordPath: String?
    /// Part of every dedup key, so that two runs don't repeat each other's events.
    let run = String(UInt64.random(in: .min ... .max), radix: 36)

    package init(address: ServerAddress, event: [UInt8]) {
        self.address = address
        self.event = event
    }

    /// How many of `count` things the part with this index gets when `parts` share them.
    static func share(of count: Int, index: Int, parts: Int) -> Int {
        count / parts + (index < count % parts ? 1 : 0)
    }
}
