import GroveEffects
import GroveEngine
import GroveProtocol
import Logging
import OrderedJSON

extension ConfigurationKey {
    /// All keys, in the order of the manual's page.
    public static let all: [ConfigurationKey] =
        serving + encryption + web + effects + secrets + bounds + connections + retention + times

    private static let serving: [ConfigurationKey] = [
        ConfigurationKey(
            "listen", .texts, default: ["localhost:7400"],
            reason: "Addresses to listen on: address:port, an IPv6 address in brackets, either "
                + "of them after tls: for TLS, or unix:path for a Unix socket. localhost means "
                + "127.0.0.1 and ::1; with port 0 the system chooses a port."
        ) { (configuration, value) throws(ConfigurationError) in
            try configuration.listen(on: value.checkedTexts)
        },
        .flag(
            "insecure-plaintext", \.allowsInsecurePlaintext,
            reason: "Allows plaintext at addresses that other machines can reach, although there "
                + "everybody on the way can read and change everything."),
        .flag(
            "insecure-anonymous", \.allowsInsecureAnonymous,
            reason: "Allows TLS without certificates of clients at addresses that other machines "
                + "can reach, although there everybody who can connect can read and change "
                + "everything."),
        ConfigurationKey(
            "data", .text, default: "grove.db",
            reason: "The data file, which is created if it doesn't exist. :memory: keeps "
                + "everything in memory and loses it at the end."
        ) { (configuration, value) throws(ConfigurationError) in
            let path = value.checkedText
            if path.isEmpty { throw ConfigurationError("must be a path, or :memory:") }
            configuration.options.store = path == ":memory:" ? .memory : .file(path)
        },
        ConfigurationKey(
            "machines-dir", .text, default: "",
            reason: "A folder of machines as data: each file *.json in it is a statechart, and is "
                + "defined at the start and when it changes. It takes the place of the program's "
                + "example machines. Empty means no folder, and the examples."
        ) { $0.options.machinesFolder = $1.checkedText.isEmpty ? nil : $1.checkedText },
        ConfigurationKey(
            "node", .text, default: "",
            reason: "The server's name in the greeting. If empty, the name is made from the "
                + "log's id."
        ) { $0.options.node = $1.checkedText.isEmpty ? nil : $1.checkedText },
        ConfigurationKey(
            "log-level", .word(Logger.Level.allCases.map(\.rawValue)), default: "info",
            reason: "The lowest level of log events that are written. Connections and answers over "
                + "HTTP are logged at level debug.",
            isReloadable: true
        ) { $0.logLevel = Logger.Level(rawValue: $1.checkedText) ?? .info },
        ConfigurationKey(
            "log-format", .word(LogFormat.allCases.map(\.rawValue)), default: "auto",
            reason: "One JSON object or one text line per event, on standard error. auto means "
                + "text on a terminal and JSON elsewhere."
        ) { $0.logFormat = LogFormat(rawValue: $1.checkedText) ?? .auto },
    ]

    private static let effects: [ConfigurationKey] = [
        ConfigurationKey(
            "http-allow", .texts, default: [],
            reason: "Hosts that the handler http may call: host, host:port or *.domain. Empty "
                + "means none: the operator, not the machine's author, chooses the hosts.",
            isReloadable: true
        ) { (configuration, value) throws(ConfigurationError) in
            configuration.options.http.allowedHosts += try hosts(value.checkedTexts)
        },
        ConfigurationKey(
            "http-allow-private", .texts, default: [],
            reason: "Hosts that the handler http may call even at addresses of this machine or "
                + "its network, in addition to http-allow. Link-local addresses are always "
                + "refused.", isReloadable: true
        ) { (configuration, value) throws(ConfigurationError) in
            configuration.options.http.allowedHosts += try hosts(
                value.checkedTexts, allowsPrivateAddresses: true)
        },
        .flag(
            "http-plaintext", \.http.allowPlaintext,
            reason: "Allows the handler http to use http without encryption, which everybody on "
                + "the way can read and change.", isReloadable: true),
        .integer(
            "http-max-per-host", 1...HTTPOptions().concurrencyMax, \.http.perHostMax,
            unit: "requests",
            reason: "Requests to one host at once, of \(HTTPOptions().concurrencyMax) in total. "
                + "Requests to a host that doesn't answer leave the remaining places to other "
                + "hosts."),
    ]

    private static let bounds: [ConfigurationKey] = [
        .integer(
            "max-line", 256...Limits.stepBytesMax, \.limits.lineBytesMax, unit: "bytes",
            reason: "The longest line. The default has room for a state of a megabyte.",
            isReloadable: true),
        .integer(
            "max-inflight", 1...65_536, \.limits.inflightMax, unit: "requests",
            reason: "Unanswered requests of a connection; at this bound the server stops reading "
                + "from it. The default keeps a commit of 20 ms busy at 50,000 requests per "
                + "second.",
            isReloadable: true),
        .integer(
            "max-pending", 65_536...1 << 30, \.limits.pendingBytesMax, unit: "bytes",
            reason: "Unsent bytes of a connection. At this bound the server stops reading from "
                + "it; at half of it its subscriptions pause."),
        .integer(
            "max-connections", 1...1_000_000, \.limits.connectionsMax, unit: "connections",
            reason: "Open connections. Above this bound a client gets one error line, OVERLOADED.",
            isReloadable: true),
        ConfigurationKey(
            "max-outstanding", .integer(1...10_000_000),
            default: .integer(Int64(ServerLimits().outstandingMax)), unit: "requests",
            reason: "Unanswered requests of all connections, which wait while a commit hangs. "
                + "Above this bound requests are answered OVERLOADED.", isReloadable: true
        ) {
            $0.options.limits.outstandingMax = $1.checkedInteger
            $0.options.engine.queueRequestsMax = $1.checkedInteger
        },
        .integer(
            "resident-instances", 1...100_000_000, \.engine.residentInstancesMax, unit: "instances",
            reason: "Instances kept in memory. Above this bound idle ones are released, and read "
                + "again when needed.",
            isReloadable: true),
        .integer(
            "resident-bytes", 0...(1 << 50), \.engine.residentBytesMax, unit: "bytes",
            reason: "Bytes of states and effects of instances kept in memory, counted as stored. "
                + "Above this bound idle instances are released, and read again when needed.",
            isReloadable: true),
    ]

    private static let connections: [ConfigurationKey] = [
        ConfigurationKey(
            "socket-mode", .word(["0600", "0660", "0666"]), default: "0600",
            reason: "The users who may connect to a Unix socket: the server's user (0600), its "
                + "group too (0660), or everybody on this machine (0666)."
        ) { $0.options.unixSocketMode = UInt32($1.checkedText, radix: 8) ?? 0o600 },
        .integer(
            "max-connections-per-address", 1...1_000_000, \.limits.connectionsPerPeerMax,
            unit: "connections",
            reason: "Open connections from one IP address, this machine's addresses included; "
                + "the first half of an IPv6 address counts. Above this bound a client gets one "
                + "error line, OVERLOADED. Unix sockets have no addresses; only max-connections "
                + "counts them.", isReloadable: true),
        .integer(
            "max-buffers", 1 << 20...1 << 40, \.limits.bufferBytesMax, unit: "bytes",
            reason: "Bytes of all connections that are unsent, or read without the end of their "
                + "line. Above half of this bound, each connection has a share of the other half "
                + "instead of max-pending, and one that holds more than 16 KiB and accepts less "
                + "within four seconds is closed. Above the bound, those that hold most are "
                + "closed.",
            isReloadable: true),
    ]

    /// Bounds of the journal, and of instances that are done; 0 means none.
    private static let retention: [ConfigurationKey] = [
        .bound(
            "keep-steps", .steps, unit: "steps",
            reason: "Newest steps of all instances together that the journal keeps; older ones "
                + "are removed. 0 keeps all. States are never removed.",
            isReloadable: true),
        .bound(
            "keep-age-s", .age, unit: "seconds",
            reason: "Time that the journal keeps a step; 0 keeps it forever. It bounds how long "
                + "a subscriber may be away, and how far back history reaches.",
            isReloadable: true),
        .bound(
            "keep-bytes", .bytes, unit: "bytes",
            reason: "Bytes of steps that the journal keeps, without indexes and snapshots; 0 "
                + "keeps all. Use it for a disk that must not fill up.", isReloadable: true),
        ConfigurationKey(
            "keep-machines", .texts, default: [],
            reason: "Bounds of the steps of single machines, in addition to those of the whole "
                + "journal: machine:age-s=number, machine:steps=number or machine:bytes=number, "
                + "one text per bound. Use it for machines with many steps that are soon useless.",
            isReloadable: true
        ) { (configuration, value) throws(ConfigurationError) in
            configuration.options.retention.machines = try MachineBounds.read(value.checkedTexts)
        },
        ConfigurationKey(
            "keep-done-s", .integer(0...3_000_000_000), default: 0, unit: "seconds",
            reason: "Time after its last change after which a done instance is deleted with its "
                + "dedup keys; 0 means never.", isReloadable: true
        ) {
            let seconds = Int64($1.checkedInteger)
            $0.options.retention.doneMillisecondsMax = seconds == 0 ? nil : seconds * 1_000
        },
    ]

    private static let times: [ConfigurationKey] = [
        .integer(
            "heartbeat-ms", 100...3_600_000, \.limits.heartbeatMilliseconds, unit: "milliseconds",
            reason: "Time without sending after which the server sends a client a ping; after "
                + "two pings without an answer it closes the connection.", isReloadable: true),
        .integer(
            "slow-consumer-ms", 100...3_600_000, \.limits.slowConsumerMilliseconds,
            unit: "milliseconds",
            reason: "Time that a connection's unsent bytes may stay at max-pending.",
            isReloadable: true),
        .integer(
            "line-timeout-ms", 100...3_600_000, \.limits.lineMilliseconds, unit: "milliseconds",
            reason: "Time from the first byte of a line to its end. It limits how long a client "
                + "that sends slowly holds a connection.", isReloadable: true),
        .integer(
            "grace-ms", 0...3_600_000, \.graceMilliseconds, unit: "milliseconds",
            reason: "Time that a graceful stop may take. After it the process ends as if killed, "
                + "which is safe.", isReloadable: true),
    ]

    private static func hosts(
        _ texts: [String], allowsPrivateAddresses: Bool = false
    ) throws(ConfigurationError) -> [HostPattern] {
        var patterns: [HostPattern] = []
        for text in texts {
            guard
                let pattern = HostPattern(text, allowsPrivateAddresses: allowsPrivateAddresses)
            else {
                throw ConfigurationError("must be host, host:port or *.domain, not \"\(text)\"")
            }
            patterns.append(pattern)
        }
        return patterns
    }
}
