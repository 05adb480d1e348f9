import GroveClient

/// The load of a benchmark; the same for all of its threads.
package struct BenchPlan: Sendable {
    package var address: ServerAddress
    /// Connections of all threads.
    package var connections = 1
    /// Requests that each connection keeps under way.
    package var pipeline = 1
    package var threads = 1
    package var machine = "counter"
    package var instancePrefix = ""
    /// Instances; each event goes to a random one.
    package var instances = 1
    /// The event as JSON.
    package var event: [UInt8]
    package var usesDedup = false
    /// Events to send in total; `nil` for no bound.
    package var eventsMax: Int?
    /// The time to send for.
    package var duration = Duration.seconds(10)
    /// The longest wait for the last replies, and for a connection.
    package var timeout = Duration.seconds(10)
    package var reconnects = false
    package var recordPath: String?
    /// Part of every dedup key, so that two runs don't repeat each other's events.
    let run = String(UInt64.random(in: .min ... .max), radix: 36)

    package init(address: ServerAddress, event: [UInt8]) {
        self.address = address
        self.event = event
    }

    /// The share of the part with this index when `parts` share `count`.
    static func share(of count: Int, index: Int, parts: Int) -> Int {
        count / parts + (index < count % parts ? 1 : 0)
    }
}
