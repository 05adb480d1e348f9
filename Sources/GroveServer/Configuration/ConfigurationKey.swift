import GroveEffects
import GroveEngine
import GroveProtocol

/// Every key of the configuration: the one list that file, flags, environment, `Config/grove.json`
/// and `docs/reference/configuration.md` are held to.
public struct ConfigurationKey: Sendable {
    /// What a value may be.
    public enum Kind: Sendable, Equatable {
        /// A text.
        case text
        /// One text or several; in flags and environment separated by commas.
        case texts
        /// `true` or `false`.
        case flag
        /// An integer within bounds.
        case integer(ClosedRange<Int>)
        /// One word of a list.
        case word([String])

        /// What would do, for people.
        public var expectation: String {
            switch self {
            case .text: "a text"
            case .texts: "a text or a list of texts"
            case .flag: "true or false"
            case .integer(let range):
                "an integer from \(range.lowerBound) to \(range.upperBound)"
            case .word(let words): "one of \(words.joined(separator: ", "))"
            }
        }
    }

    /// A value of one of the kinds.
    public enum Value: Sendable, Equatable {
        /// A text, also where it is a word of a list.
        case text(String)
        /// Texts.
        case texts([String])
        /// A flag.
        case flag(Bool)
        /// An integer.
        case integer(Int)
    }

    /// The key's name in files; `--name` as a flag, `GROVE_NAME` in the environment.
    public let name: String
    /// What its value may be.
    public let kind: Kind
    /// What holds where nothing is said.
    public let standard: Value
    /// What a number counts; empty for others.
    public let unit: String
    /// Why it is there, and why the default is what it is.
    public let reason: String
    /// Whether a running server takes another value, when it is told to reload. Such a key's value
    /// is read where it is used, or handed on by ``Server/reload()``.
    public var isReloadable = false

    /// The variable of the environment, such as `GROVE_MAX_LINE`.
    public var variable: String {
        "GROVE_" + name.uppercased().replacing("-", with: "_")
    }

    /// All keys, in the order in which they are documented.
    public static let all: [ConfigurationKey] =
        serving + effects + bounds + connections + retention + times

    /// The key of this name.
    public static func named(_ name: String) -> ConfigurationKey? {
        all.first { $0.name == name }
    }

    private static let serving: [ConfigurationKey] = [
        ConfigurationKey(
            name: "listen", kind: .texts, standard: .texts(["localhost:7400"]), unit: "",
            reason: "Addresses to listen on: address:port, an IPv6 address in brackets, or "
                + "unix:path for a Unix socket. localhost is 127.0.0.1 and ::1; port 0 lets the "
                + "system choose."),
        ConfigurationKey(
            name: "insecure-plaintext", kind: .flag, standard: .flag(false), unit: "",
            reason: "Allows addresses that other machines can reach, although this version has "
                + "neither encryption nor authentication."),
        ConfigurationKey(
            name: "data", kind: .text, standard: .text("grove.db"), unit: "",
            reason: "The data file, made if it isn't there; :memory: keeps everything in memory "
                + "and forgets it at the end."),
        ConfigurationKey(
            name: "node", kind: .text, standard: .text(""), unit: "",
            reason: "The server's name in the greeting; empty for one made of the log's id."),
        ConfigurationKey(
            name: "log-level", kind: .word(LogLevels.names), standard: .text("info"), unit: "",
            reason: "Log events below it are not written. Connections are logged at level debug.",
            isReloadable: true),
        ConfigurationKey(
            name: "log-format", kind: .word(LogFormat.allCases.map(\.rawValue)),
            standard: .text("auto"), unit: "",
            reason: "One JSON object or one text line an event, on standard error. auto is text "
                + "on a terminal and JSON elsewhere."),
    ]

    private static let effects: [ConfigurationKey] = [
        ConfigurationKey(
            name: "http-allow", kind: .texts, standard: .texts([]), unit: "",
            reason: "Hosts that the handler http may call: host, host:port or *.domain. Empty "
                + "for none: who writes a machine is not to choose what the server connects to.",
            isReloadable: true),
        ConfigurationKey(
            name: "http-allow-private", kind: .texts, standard: .texts([]), unit: "",
            reason:
                "Hosts that it may call, besides those of http-allow, even at addresses of this "
                + "machine or its network. Link-local addresses stay refused.", isReloadable: true),
        ConfigurationKey(
            name: "http-plaintext", kind: .flag, standard: .flag(false), unit: "",
            reason: "Allows it http without encryption, which everybody on the way can read and "
                + "change.", isReloadable: true),
        ConfigurationKey(
            name: "http-max-per-host", kind: .integer(1...HTTPOptions().concurrencyMax),
            standard: .integer(HTTPOptions().perHostMax), unit: "requests",
            reason: "Requests to one host at once, of \(HTTPOptions().concurrencyMax) in all: "
                + "those to a host that doesn't answer leave the others their places."),
    ]

    private static let bounds: [ConfigurationKey] = [
        ConfigurationKey(
            name: "max-line", kind: .integer(256...Limits.stepBytesMax),
            standard: .integer(ServerLimits().lineBytesMax), unit: "bytes",
            reason: "The longest line: room for a state of a megabyte.", isReloadable: true),
        ConfigurationKey(
            name: "max-inflight", kind: .integer(1...65_536),
            standard: .integer(ServerLimits().inflightMax), unit: "requests",
            reason: "Requests of a connection without their reply; past it the connection is not "
                + "read. Enough to keep a commit of 20 ms busy at 50,000 requests a second.",
            isReloadable: true),
        ConfigurationKey(
            name: "max-pending", kind: .integer(65_536...1 << 30),
            standard: .integer(ServerLimits().pendingBytesMax), unit: "bytes",
            reason: "Unsent bytes of a connection; past it the connection is not read, at half "
                + "its subscriptions pause."),
        ConfigurationKey(
            name: "max-connections", kind: .integer(1...1_000_000),
            standard: .integer(ServerLimits().connectionsMax), unit: "connections",
            reason: "Open connections; past it a client gets one error line, OVERLOADED.",
            isReloadable: true),
        ConfigurationKey(
            name: "max-outstanding", kind: .integer(1...10_000_000),
            standard: .integer(ServerLimits().outstandingMax), unit: "requests",
            reason: "Requests of all connections without their reply: what may wait while a "
                + "commit hangs. Past it requests are answered OVERLOADED.", isReloadable: true),
        ConfigurationKey(
            name: "resident-instances", kind: .integer(1...100_000_000),
            standard: .integer(Limits.residentInstancesDefault), unit: "instances",
            reason: "Instances kept in memory; idle ones past it are read again when needed.",
            isReloadable: true),
        ConfigurationKey(
            name: "resident-bytes", kind: .integer(0...(1 << 50)),
            standard: .integer(Limits.residentBytesDefault), unit: "bytes",
            reason: "Bytes of the states and effects of instances kept in memory, as they are "
                + "stored; idle ones past it are read again when needed.", isReloadable: true),
    ]

    private static let times: [ConfigurationKey] = [
        ConfigurationKey(
            name: "heartbeat-ms", kind: .integer(100...3_600_000),
            standard: .integer(Int(ServerLimits().heartbeatMilliseconds)), unit: "milliseconds",
            reason: "Time without sending after which a client is asked whether it is there; "
                + "after two misses it is cut off.", isReloadable: true),
        ConfigurationKey(
            name: "slow-consumer-ms", kind: .integer(100...3_600_000),
            standard: .integer(Int(ServerLimits().slowConsumerMilliseconds)),
            unit: "milliseconds",
            reason: "Time that a connection's unsent bytes may stay at max-pending.",
            isReloadable: true),
        ConfigurationKey(
            name: "line-timeout-ms", kind: .integer(100...3_600_000),
            standard: .integer(Int(ServerLimits().lineMilliseconds)), unit: "milliseconds",
            reason: "Time from the first byte of a line to its end: a client that dribbles holds "
                + "a connection for no longer.", isReloadable: true),
        ConfigurationKey(
            name: "grace-ms", kind: .integer(0...3_600_000),
            standard: .integer(Int(ServerOptions().graceMilliseconds)), unit: "milliseconds",
            reason: "How long a graceful stop may take; past it the process ends as if killed, "
                + "which is safe.", isReloadable: true),
    ]
}
