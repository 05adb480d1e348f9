import GroveEffects
import GroveEngine
import GroveProtocol
import Logging

extension ConfigurationKey {
    /// All keys, in the order of the manual's page.
    public static let all: [ConfigurationKey] =
        serving + effects + bounds + connections + retention + times

    private static let serving: [ConfigurationKey] = [
        .texts(
            "listen", default: ["localhost:7400"],
            reason: "Addresses to listen on: address:port, an IPv6 address in brackets, or "
                + "unix:path for a Unix socket. localhost is 127.0.0.1 and ::1; port 0 lets the "
                + "system choose."
        ) { (configuration, texts) throws(ConfigurationError) in
            configuration.options.listen = try ServerConfiguration.addresses(texts)
        },
        .flag(
            "insecure-plaintext", \.allowsInsecurePlaintext,
            reason: "Allows addresses that other machines can reach, although this version has "
                + "neither encryption nor authentication."),
        .text(
            "data", default: "grove.db",
            reason: "The data file, made if it isn't there; :memory: keeps everything in memory "
                + "and forgets it at the end."
        ) { (configuration, path) throws(ConfigurationError) in
            if path.isEmpty { throw ConfigurationError("must be a path, or :memory:") }
            configuration.options.store = path == ":memory:" ? .memory : .file(path)
        },
        .text(
            "node", reason: "The server's name in the greeting; empty for one made of the log's id."
        ) { $0.options.node = $1.isEmpty ? nil : $1 },
        .word(
            "log-level", Logger.Level.allCases.map(\.rawValue), default: "info",
            reason: "Log events below it are not written. Connections are logged at level debug.",
            isReloadable: true
        ) { $0.logLevel = Logger.Level(rawValue: $1) ?? .info },
        .word(
            "log-format", LogFormat.allCases.map(\.rawValue), default: "auto",
            reason: "One JSON object or one text line an event, on standard error. auto is text "
                + "on a terminal and JSON elsewhere."
        ) { $0.logFormat = LogFormat(rawValue: $1) ?? .auto },
    ]

    private static let effects: [ConfigurationKey] = [
        .texts(
            "http-allow",
            reason: "Hosts that the handler http may call: host, host:port or *.domain. Empty "
                + "for none: who writes a machine is not to choose what the server connects to.",
            isReloadable: true
        ) { (configuration, texts) throws(ConfigurationError) in
            configuration.options.http.allowedHosts += try hosts(texts)
        },
        .texts(
            "http-allow-private",
            reason:
                "Hosts that it may call, besides those of http-allow, even at addresses of this "
                + "machine or its network. Link-local addresses stay refused.", isReloadable: true
        ) { (configuration, texts) throws(ConfigurationError) in
            configuration.options.http.allowedHosts += try hosts(
                texts, allowsPrivateAddresses: true)
        },
        .flag(
            "http-plaintext", \.http.allowPlaintext,
            reason: "Allows it http without encryption, which everybody on the way can read and "
                + "change.", isReloadable: true),
        .integer(
            "http-max-per-host", 1...HTTPOptions().concurrencyMax, \.http.perHostMax,
            unit: "requests",
            reason: "Requests to one host at once, of \(HTTPOptions().concurrencyMax) in all: "
                + "those to a host that doesn't answer leave the others their places."),
    ]

    private static let bounds: [ConfigurationKey] = [
        .integer(
            "max-line", 256...Limits.stepBytesMax, \.limits.lineBytesMax, unit: "bytes",
            reason: "The longest line: room for a state of a megabyte.", isReloadable: true),
        .integer(
            "max-inflight", 1...65_536, \.limits.inflightMax, unit: "requests",
            reason: "Requests of a connection without their reply; past it the connection is not "
                + "read. Enough to keep a commit of 20 ms busy at 50,000 requests a second.",
            isReloadable: true),
        .integer(
            "max-pending", 65_536...1 << 30, \.limits.pendingBytesMax, unit: "bytes",
            reason: "Unsent bytes of a connection; past it the connection is not read, at half "
                + "its subscriptions pause."),
        .integer(
            "max-connections", 1...1_000_000, \.limits.connectionsMax, unit: "connections",
            reason: "Open connections; past it a client gets one error line, OVERLOADED.",
            isReloadable: true),
        .integer(
            "max-outstanding", 1...10_000_000, default: ServerLimits().outstandingMax,
            unit: "requests",
            reason: "Requests of all connections without their reply: what may wait while a "
                + "commit hangs. Past it requests are answered OVERLOADED.", isReloadable: true
        ) {
            $0.options.limits.outstandingMax = $1
            $0.options.engine.queueRequestsMax = $1
        },
        .integer(
            "resident-instances", 1...100_000_000, \.engine.residentInstancesMax, unit: "instances",
            reason: "Instances kept in memory; idle ones past it are read again when needed.",
            isReloadable: true),
        .integer(
            "resident-bytes", 0...(1 << 50), \.engine.residentBytesMax, unit: "bytes",
            reason: "Bytes of the states and effects of instances kept in memory, as they are "
                + "stored; idle ones past it are read again when needed.", isReloadable: true),
    ]

    private static let connections: [ConfigurationKey] = [
        .word(
            "socket-mode", ["0600", "0660", "0666"], default: "0600",
            reason: "Who may connect to a Unix socket: the server's user, its group too, or "
                + "everybody on this machine."
        ) { $0.options.unixSocketMode = UInt32($1, radix: 8) ?? 0o600 },
        .integer(
            "max-connections-per-address", 1...1_000_000, \.limits.connectionsPerPeerMax,
            unit: "connections",
            reason: "Open connections from one IP address, also from this machine's; of IPv6 "
                + "addresses the first half counts. Past it a client gets one error line, "
                + "OVERLOADED. Unix sockets have no addresses and are counted by max-connections "
                + "alone.", isReloadable: true),
        .integer(
            "max-buffers", 1 << 20...1 << 40, \.limits.bufferBytesMax, unit: "bytes",
            reason: "What all connections together have unsent, and read without its end. From "
                + "half of it on, each has its share of the other half instead of max-pending, "
                + "and no subscription is begun; past it the connections that hold most are "
                + "closed.", isReloadable: true),
    ]

    /// Bounds of the journal, and of instances that are done; 0 is for none.
    private static let retention: [ConfigurationKey] = [
        .bound(
            "keep-steps", .steps, unit: "steps",
            reason: "Newest steps of all instances together that the journal keeps; older ones "
                + "are removed. 0 keeps all. States aren't touched, whatever is removed.",
            isReloadable: true),
        .bound(
            "keep-age-s", .age, unit: "seconds",
            reason: "Time that the journal keeps a step; 0 for ever. It bounds for how long a "
                + "subscriber may be away, and what history shows.", isReloadable: true),
        .bound(
            "keep-bytes", .bytes, unit: "bytes",
            reason: "Bytes of steps that the journal keeps, without indexes and snapshots; 0 for "
                + "all. For a disk that must not fill up.", isReloadable: true),
        .texts(
            "keep-machines",
            reason: "Bounds of the steps of single machines, beside those of all together: "
                + "machine:age-s=number, machine:steps=number or machine:bytes=number, one text "
                + "for each. For machines with many steps that are soon of no use.",
            isReloadable: true
        ) { (configuration, texts) throws(ConfigurationError) in
            configuration.options.retention.machines = try MachineBounds.read(texts)
        },
        .integer(
            "keep-done-s", 0...3_000_000_000, default: 0, unit: "seconds",
            reason: "Time after its last step after which an instance that is done is deleted "
                + "with its dedup keys; 0 for never.", isReloadable: true
        ) { $0.options.retention.doneMillisecondsMax = $1 == 0 ? nil : Int64($1) * 1_000 },
    ]

    private static let times: [ConfigurationKey] = [
        .integer(
            "heartbeat-ms", 100...3_600_000, \.limits.heartbeatMilliseconds, unit: "milliseconds",
            reason: "Time without sending after which a client is asked whether it is there; "
                + "after two misses it is cut off.", isReloadable: true),
        .integer(
            "slow-consumer-ms", 100...3_600_000, \.limits.slowConsumerMilliseconds,
            unit: "milliseconds",
            reason: "Time that a connection's unsent bytes may stay at max-pending.",
            isReloadable: true),
        .integer(
            "line-timeout-ms", 100...3_600_000, \.limits.lineMilliseconds, unit: "milliseconds",
            reason: "Time from the first byte of a line to its end: a client that dribbles holds "
                + "a connection for no longer.", isReloadable: true),
        .integer(
            "grace-ms", 0...3_600_000, \.graceMilliseconds, unit: "milliseconds",
            reason: "How long a graceful stop may take; past it the process ends as if killed, "
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
