import GroveProtocol
import GroveWire

/// A number of the server. ``all`` is the one list for `stats`, the Prometheus text, the process's
/// metrics library and `docs/reference/metrics.md`.
public struct Metric: Sendable, Equatable {
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
        case bytes
        case seconds
        /// Milliseconds; seconds in the Prometheus text.
        case milliseconds
        /// Microseconds; seconds in the Prometheus text.
        case microseconds

        /// The number of these units in one unit of the Prometheus text, as a power of ten.
        var decimals: Int {
            switch self {
            case .things, .bytes, .seconds: 0
            case .milliseconds: 3
            case .microseconds: 6
            }
        }

        /// A number in the unit of the Prometheus text.
        func inSeries(_ number: Int64) -> Double {
            Double(number) / (self == .milliseconds ? 1e3 : self == .microseconds ? 1e6 : 1)
        }
    }

    /// The member of `stats`.
    public let name: String
    /// The kind.
    public let kind: Kind
    /// The unit.
    public let unit: Unit
    /// The label of the metric's numbers, `nil` for a single number. Of ``values``, those with a
    /// number have a member `NAME.VALUE`; `NAME` is their sum.
    public let label: String?
    /// All values of the label.
    public let values: [String]
    /// The name for Prometheus and the metrics library.
    public let series: String
    /// The description, in a sentence.
    public let help: String

    private init(
        _ name: String, _ kind: Kind, _ unit: Unit = .things, as series: String? = nil,
        by label: String? = nil, values: [String] = [], _ help: String
    ) {
        self.name = name
        self.kind = kind
        self.unit = unit
        self.label = label
        self.values = values
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
    public static let all: [Metric] =
        connections + web + encryption + requests + times + engine + storage

    private static let connections: [Metric] = [
        Metric("uptime_ms", .gauge, .milliseconds, as: "uptime_seconds", "Time since the start."),
        Metric(
            "stalled_ms", .gauge, .milliseconds, as: "stalled_seconds",
            "Time for which the engine hasn't answered."),
        Metric("connections", .gauge, "Open connections."),
        Metric("connections_max", .gauge, "The limit max-connections."),
        Metric("connections_accepted", .counter, "Connections that were accepted."),
        Metric("connections_refused", .counter, "Connections that were rejected at a limit."),
        Metric(
            "connections_unknown", .gauge,
            "Connections whose client must say who it is, and hasn't yet."),
        Metric("wrong_tokens", .counter, "Tokens of clients that weren't right, or had ended."),
        Metric(
            "buffer_bytes", .gauge, .bytes,
            "Unsent bytes and unfinished lines of all connections."),
        Metric("buffer_bytes_max", .gauge, .bytes, "The limit max-buffers."),
        Metric("bytes_in", .counter, .bytes, as: "received_bytes", "Bytes read from clients."),
        Metric("bytes_out", .counter, .bytes, as: "sent_bytes", "Bytes sent to clients."),
        Metric("lines", .counter, "Lines read from clients."),
    ]

    private static let web: [Metric] = [
        Metric(
            "http_answers", .counter, by: "status", values: SocketLoop.statusClasses,
            "Answers over HTTP, by the class of their status; 1xx are WebSockets.")
    ]

    private static let encryption: [Metric] = [
        Metric("tls_handshakes", .counter, "TLS handshakes that were completed."),
        Metric(
            "tls_handshakes_failed", .counter, by: "reason",
            values: SocketLoop.handshakeFailures,
            "TLS handshakes that failed, by reason; displaced ones gave way to newer ones."),
        Metric("tls_handshakes_waiting", .gauge, "TLS handshakes under way."),
        Metric(
            "tls_handshakes_paced", .counter,
            "TLS handshakes that had to wait for their turn."),
        Metric(
            "tls_certificate_expires_s", .gauge, .seconds, as: "tls_certificate_expires_seconds",
            "Time until the server's certificate ends; of several, the first one."),
        Metric(
            "tls_crl_expires_s", .gauge, .seconds, as: "tls_crl_expires_seconds",
            "Time until a list of revoked certificates ends; of several, the first one."),
    ]

    private static let requests: [Metric] = [
        Metric(
            "requests", .counter, by: "op", values: TrafficCounts.opNames,
            "Requests that were read, by op, with ping, hello and refused ones."),
        Metric("requests_outstanding", .gauge, "Requests without their reply."),
        Metric("requests_outstanding_max", .gauge, "The limit max-outstanding."),
        Metric("replies", .counter, "Replies of the engine; ping and hello have none."),
        Metric(
            "errors", .counter, by: "code", values: ErrorCode.allCases.map(\.rawValue),
            "Errors sent to clients, by code."),
    ]

    private static let times: [Metric] = [
        Metric(
            "ack_us", .histogram, .microseconds, as: "ack_seconds",
            "Time from reading a send to writing its reply, without refusals, settle and import."),
        Metric(
            "commit_us", .histogram, .microseconds, as: "commit_seconds",
            "Time of one commit with its sync, until its replies are released."),
        Metric("commit_requests", .histogram, "Requests that one commit answers."),
    ]

    private static let engine: [Metric] = [
        Metric(
            "engine_requests", .counter,
            "Requests that reached the engine: not ping, hello and those refused before."),
        Metric("engine_steps", .counter, "Steps, of events and of effects."),
        Metric("engine_refusals", .counter, "Refusals by the engine, also those without a reply."),
        Metric(
            "engine_full_disks", .counter,
            "Commits undone for lack of room; their requests were answered STORAGE_FULL."),
        Metric("records_published", .counter, "Records made for subscribers, each counted once."),
        Metric("effects_under_way", .gauge, "Effects whose handler runs."),
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
        Metric("pages_waiting", .gauge, "Pages of list, history and effects under way."),
        Metric("subscriptions", .gauge, "Open subscriptions."),
    ]

    private static let storage: [Metric] = [
        Metric("instances", .gauge, "Instances stored."),
        Metric(
            "effects", .gauge,
            "Effects stored, with failed and completed ones that are kept."),
        Metric("journal_first", .gauge, "The number of the oldest step that the journal holds."),
        Metric("journal_steps", .gauge, "Steps that the journal holds, gaps included."),
        Metric("journal_bytes", .gauge, .bytes, "Bytes of the steps that the journal holds."),
        Metric("file_bytes", .gauge, .bytes, "Size of the data file."),
        Metric("wal_bytes", .gauge, .bytes, "Size of the log beside the data file."),
        Metric("commits", .counter, "Commits of events, effects and other writing requests."),
        Metric("committed_steps", .counter, "Steps committed."),
        Metric("committed_dedups", .counter, "Dedup records committed."),
        Metric("erased_steps", .counter, "Steps of deleted instances that were purged."),
        Metric(
            "removed_steps", .counter,
            "Steps that were removed because of keep-steps, keep-age-s or keep-bytes."),
        Metric(
            "trimmed_steps", .counter,
            "Steps of machines that were removed because of keep-machines."),
        Metric("pending_rows", .gauge, "Rows to be written with later commits."),
        Metric("free_pages", .gauge, "Pages of the data file that can be used again."),
        Metric("returned_pages", .counter, "Pages returned to the file system."),
        Metric("can_shrink", .gauge, "1 if the data file can return pages to the file system."),
        Metric("checkpoints", .counter, "Times that the log was moved into the data file."),
        Metric(
            "disk_full", .counter,
            "Writes of the store that found no room: commits, purging, moving the log."),
    ]
}
