import GroveProtocol
import GroveWire

/// A number of the server. ``all`` is the one list for `stats`, the Prometheus text, the process's
/// metrics library and `docs/reference/metrics.md`.
public struct Metric: Sendable {
    /// The kind of a number.
    public enum Kind: String, Sendable {
        /// Counts since the server's start; only grows.
        case counter
        /// A present amount.
        case gauge
        /// A distribution of values over fixed buckets: its members are `NAME.count`, `NAME.sum`
        /// and, for each bound, `NAME.le_BOUND`.
        case histogram
    }

    /// The unit of a number of `stats`.
    public enum Unit: String, Sendable {
        /// Things, named by the metric itself.
        case things = ""
        /// Bytes.
        case bytes
        /// Milliseconds; seconds in the Prometheus text.
        case milliseconds
        /// Microseconds; seconds in the Prometheus text.
        case microseconds

        /// The number of these units in one unit of the Prometheus text, as a power of ten.
        var decimals: Int {
            switch self {
            case .things, .bytes: 0
            case .milliseconds: 3
            case .microseconds: 6
            }
        }
    }

    /// The member of `stats`.
    public let name: String
    /// The kind.
    public let kind: Kind
    /// The unit.
    public let unit: Unit
    /// The label of the metric's numbers: there is a member `NAME.VALUE` for each value that has
    /// one, and `NAME` is their sum. `nil` for a single number.
    public let label: Label?
    /// The name for Prometheus and the metrics library.
    public let series: String
    /// The description, in a sentence.
    public let help: String

    /// A label with its values.
    public struct Label: Sendable {
        /// The label's name.
        public let name: String
        /// All values.
        public let values: [String]
    }

    private init(
        _ name: String, _ kind: Kind, _ unit: Unit = .things, as series: String? = nil,
        by label: Label? = nil, _ help: String
    ) {
        self.name = name
        self.kind = kind
        self.unit = unit
        self.label = label
        self.series = "grove_" + (series ?? name) + (kind == .counter ? "_total" : "")
        self.help = help
    }

    private init(_ name: String, _ kind: Kind, _ help: String) {
        self.init(name, kind, .things, help)
    }

    /// The metric of this name.
    public static func named(_ name: String) -> Metric? { byName[name] }

    private static let byName = Dictionary(uniqueKeysWithValues: all.map { ($0.name, $0) })

    /// All metrics, in the order in which they are documented.
    public static let all: [Metric] = connections + requests + times + engine + storage

    private static let connections: [Metric] = [
        Metric("uptime_ms", .gauge, .milliseconds, as: "uptime_seconds", "Time since the start."),
        Metric("connections", .gauge, "Open connections."),
        Metric("connections_accepted", .counter, "Connections that were taken in."),
        Metric("connections_refused", .counter, "Connections that were turned away at a limit."),
        Metric(
            "buffer_bytes", .gauge, .bytes,
            "What all connections have unsent, and read without its end; max-buffers bounds it."),
        Metric("bytes_in", .counter, .bytes, as: "received_bytes", "Bytes read from clients."),
        Metric("bytes_out", .counter, .bytes, as: "sent_bytes", "Bytes sent to clients."),
        Metric("lines", .counter, "Lines of clients."),
    ]

    private static let requests: [Metric] = [
        Metric(
            "requests", .counter, by: Label(name: "op", values: TrafficCounts.opNames),
            "Requests by op as they were read, also ping, hello and those that were refused."),
        Metric("replies", .counter, "Answers of the engine; ping and hello need none."),
        Metric(
            "errors", .counter,
            by: Label(name: "code", values: ErrorCode.allCases.map(\.rawValue)),
            "Errors that clients were told, by code."),
    ]

    private static let times: [Metric] = [
        Metric(
            "ack_us", .histogram, .microseconds, as: "ack_seconds",
            "Time from reading a send to writing its reply; refusals, settle and import left out."),
        Metric(
            "commit_us", .histogram, .microseconds, as: "commit_seconds",
            "Time of one commit with its sync and what follows from it."),
        Metric(
            "commit_requests", .histogram, "Requests that one commit answers."),
    ]

    private static let engine: [Metric] = [
        Metric(
            "engine_requests", .counter,
            "Requests that have reached the engine: not ping, hello and what was refused before."),
        Metric("engine_steps", .counter, "Steps, of events and of effects."),
        Metric("engine_refusals", .counter, "Refusals by the engine, also without an answer."),
        Metric(
            "engine_full_disks", .counter,
            "Commits given up for lack of room; what they held was answered STORAGE_FULL."),
        Metric("records_published", .counter, "Records made for subscribers, each counted once."),
        Metric("effects_under_way", .gauge, "Effects whose handler is at work."),
        Metric("requests_waiting", .gauge, "Requests that wait for effects or a state."),
        Metric("instances_resident", .gauge, "Instances in memory."),
        Metric(
            "instances_resident_bytes", .gauge, .bytes,
            "Bytes of the states and effects of instances in memory, as they are stored."),
        Metric(
            "instances_set_aside", .gauge,
            "Instances set aside, because their steps ended the process."),
        Metric("instances_suspended", .gauge, "Instances that were suspended themselves."),
        Metric(
            "machines_set_aside", .gauge,
            "Machines set aside as a whole, because steps of several instances ended the process."),
        Metric("machines_suspended", .gauge, "Machines that were suspended as a whole."),
        Metric("instances_retired", .counter, "Instances deleted because they were done."),
        Metric("pages_waiting", .gauge, "Pages of list, history and effects that are being read."),
        Metric("subscriptions", .gauge, "Open subscriptions."),
    ]

    private static let storage: [Metric] = [
        Metric("instances", .gauge, "Instances stored."),
        Metric("effects", .gauge, "Effects stored that have not ended."),
        Metric("journal_first", .gauge, "The number of the oldest step that the journal holds."),
        Metric("journal_steps", .gauge, "Steps that the journal holds, gaps counted."),
        Metric("journal_bytes", .gauge, .bytes, "Bytes of the steps that the journal holds."),
        Metric("file_bytes", .gauge, .bytes, "Size of the data file."),
        Metric("wal_bytes", .gauge, .bytes, "Size of the log beside it."),
        Metric("commits", .counter, "Commits of events, effects and other requests that write."),
        Metric("committed_steps", .counter, "Steps committed."),
        Metric("committed_dedups", .counter, "Dedup records committed."),
        Metric("erased_steps", .counter, "Steps of deleted instances that were erased."),
        Metric(
            "removed_steps", .counter,
            "Steps that were removed because of keep-steps, keep-age-s or keep-bytes."),
        Metric(
            "trimmed_steps", .counter,
            "Steps of machines that were removed because of keep-machines."),
        Metric("free_pages", .gauge, "Pages of the data file that are free to be used again."),
        Metric("returned_pages", .counter, "Pages that were given back to the file system."),
        Metric("can_shrink", .gauge, "1 if the data file can give pages back."),
        Metric("checkpoints", .counter, "Times that the log was moved into the data file."),
        Metric(
            "disk_full", .counter,
            "Writes of the store that found no room: commits, clearing away, moving the log."),
    ]
}
