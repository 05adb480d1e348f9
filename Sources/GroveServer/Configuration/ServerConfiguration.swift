import GroveEffects
import GroveEngine
import GroveNetwork
import GroveProtocol
public import Logging

/// What a server is configured with: a flag wins over the environment, the environment over the
/// file, the file over the default (docs/reference/configuration.md).
public struct ServerConfiguration: Sendable {
    /// What the server is started with.
    public var options = ServerOptions()
    /// Log events below it are not written.
    public var logLevel = Logger.Level.info
    /// How log lines are written.
    public var logFormat = LogFormat.auto

    /// A logger as configured, on standard error.
    public var logger: Logger { Log.logger(level: logLevel, format: logFormat) }

    /// The defaults.
    public init() {}

    /// Every key with the value that holds for it, and where that comes from, in the order in
    /// which keys are documented.
    public private(set) var settings = ConfigurationKey.all.map {
        ConfigurationSetting(key: $0.name, value: $0.standard, origin: .standard)
    }

    /// Reads a configuration.
    ///
    /// - Parameter source: Where from.
    /// - Throws: ``ConfigurationError`` with everything that is wrong: keys in file and flags that
    ///   there are not, variables that are nearly those of keys, and values that aren't of their
    ///   key's kind, wherever they stand.
    public static func load(
        _ source: ConfigurationSource
    ) throws(ConfigurationError) -> ServerConfiguration {
        try ServerConfiguration(source.read(), running: [])
    }

    /// Reads a configuration from a file, the environment and flags.
    public static func load(
        file: String?, environment: [String: String], flags: [String: String]
    ) throws(ConfigurationError) -> ServerConfiguration {
        try load(ConfigurationSource(file: file, environment: environment, flags: flags))
    }

    /// Takes what was read, except for keys of which a running server has to keep the value.
    ///
    /// - Parameters:
    ///   - contents: What the places of a source say.
    ///   - running: Settings that win over all of that.
    init(
        _ contents: ConfigurationSource.Contents, running: [ConfigurationSetting]
    ) throws(ConfigurationError) {
        var (layers, problems) = contents
        layers.insert(ConfigurationSource.Layer(settings: running), at: 0)
        let standard = ConfigurationKey.all.map {
            ConfigurationSetting(key: $0.name, value: $0.standard, origin: .standard)
        }
        layers.append(ConfigurationSource.Layer(settings: standard))
        settings = ConfigurationKey.all.compactMap { key in
            layers.lazy.compactMap { $0.settings.first { $0.key == key.name } }.first
        }
        take(ConfigurationValues(settings), &problems)
        guard problems.isEmpty else { throw ConfigurationError(problems) }
    }

    /// Puts what was read where it is used. A value that is wrong is told and left out.
    private mutating func take(
        _ values: ConfigurationValues, _ problems: inout [ConfigurationProblem]
    ) {
        options.listen = told(&problems, options.listen) { () throws(ConfigurationProblem) in
            try Self.addresses(values.texts("listen"))
        }
        options.allowsInsecurePlaintext = values.flag("insecure-plaintext")
        configureConnections(values)
        let data = values.text("data")
        if data.isEmpty {
            problems.append(problem("data", "must be a path, or :memory:"))
        }
        options.store = data == ":memory:" ? .memory : .file(data)
        let node = values.text("node")
        options.node = node.isEmpty ? nil : node
        logLevel = Logger.Level(rawValue: values.text("log-level")) ?? .info
        logFormat = LogFormat(rawValue: values.text("log-format")) ?? .auto
        options.http.allowedHosts = told(&problems, []) { () throws(ConfigurationProblem) in
            try Self.hosts("http-allow", values, allowsPrivateAddresses: false)
                + Self.hosts("http-allow-private", values, allowsPrivateAddresses: true)
        }
        options.http.allowPlaintext = values.flag("http-plaintext")
        options.http.perHostMax = values.integer("http-max-per-host")
        options.limits.lineBytesMax = values.integer("max-line")
        options.limits.inflightMax = values.integer("max-inflight")
        options.limits.pendingBytesMax = values.integer("max-pending")
        options.limits.connectionsMax = values.integer("max-connections")
        options.limits.outstandingMax = values.integer("max-outstanding")
        options.engine.queueRequestsMax = options.limits.outstandingMax
        options.engine.residentInstancesMax = values.integer("resident-instances")
        options.engine.residentBytesMax = values.integer("resident-bytes")
        configureRetention(values, &problems)
        options.limits.heartbeatMilliseconds = Int64(values.integer("heartbeat-ms"))
        options.limits.slowConsumerMilliseconds = Int64(values.integer("slow-consumer-ms"))
        options.limits.lineMilliseconds = Int64(values.integer("line-timeout-ms"))
        options.graceMilliseconds = Int64(values.integer("grace-ms"))
    }

    /// What is wrong with the value of a key, and where that stands.
    func problem(_ key: String, _ message: String) -> ConfigurationProblem {
        ConfigurationProblem(
            key: key, message: message,
            place: settings.first { $0.key == key }.map { "\($0.origin)" })
    }

    /// What a value means; a problem with it is told, with the place where it stands.
    private func told<Meaning>(
        _ problems: inout [ConfigurationProblem], _ otherwise: Meaning,
        _ meaning: () throws(ConfigurationProblem) -> Meaning
    ) -> Meaning {
        do throws(ConfigurationProblem) {
            return try meaning()
        } catch {
            problems.append(problem(error.key ?? "", error.message))
            return otherwise
        }
    }

    private static func hosts(
        _ key: String, _ values: ConfigurationValues, allowsPrivateAddresses: Bool
    ) throws(ConfigurationProblem) -> [HostPattern] {
        var patterns: [HostPattern] = []
        for text in values.texts(key) {
            guard
                let pattern = HostPattern(text, allowsPrivateAddresses: allowsPrivateAddresses)
            else {
                throw ConfigurationProblem(
                    key: key,
                    message: "must be host, host:port or *.domain, not \"\(text)\"")
            }
            patterns.append(pattern)
        }
        return patterns
    }

    /// The addresses that texts such as `localhost:7400` mean.
    static func addresses(_ texts: [String]) throws(ConfigurationProblem) -> [SocketAddress] {
        var addresses: [SocketAddress] = []
        for text in texts {
            if let address = try unixAddress(text) {
                addresses.append(address)
                continue
            }
            let prefix = "localhost:"
            if text.hasPrefix(prefix),
                let v4 = SocketAddress("127.0.0.1:" + text.dropFirst(prefix.count))
            {
                addresses += [v4, .loopbackV6(port: v4.port)]
            } else if let address = SocketAddress(text) {
                addresses.append(address)
            } else {
                throw ConfigurationProblem(
                    key: "listen",
                    message: "must be localhost:port, address:port, [IPv6 address]:port or "
                        + "unix:path, not \"\(text)\"; names are not looked up")
            }
        }
        guard !addresses.isEmpty else {
            throw ConfigurationProblem(key: "listen", message: "must name at least one address")
        }
        return addresses
    }
}

/// The log levels by name.
enum LogLevels {
    static let names = Logger.Level.allCases.map(\.rawValue)
}
