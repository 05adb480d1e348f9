import Configuration
import GroveEffects
import GroveEngine
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
    public var logFormat = LogFormat.json

    /// A logger as configured, on standard error.
    public var logger: Logger { Log.logger(level: logLevel, format: logFormat) }

    /// The defaults.
    public init() {}

    /// Reads a configuration.
    ///
    /// - Parameters:
    ///   - file: The path of a configuration file; `nil` for none.
    ///   - environment: Variables; those named `GROVE_` and a key's name count, others, also
    ///     unknown ones of that form, don't.
    ///   - flags: Values of flags by the keys' names; texts of flags are `true` or `false`.
    /// - Throws: ``ConfigurationError`` for an unknown key in file or flags, and for a value that
    ///   isn't of its key's kind, wherever it stands.
    public static func load(
        file: String?, environment: [String: String], flags: [String: String]
    ) throws(ConfigurationError) -> ServerConfiguration {
        var flagValues: [String: ConfigurationKey.Value] = [:]
        for (name, text) in flags.sorted(by: { $0.key < $1.key }) {
            let key = try key(name)
            flagValues[name] = try value(text, of: key, source: "--\(name)")
        }
        var variables: [String: ConfigurationKey.Value] = [:]
        for key in ConfigurationKey.all {
            guard let text = environment[key.variable] else { continue }
            variables[key.name] = try value(text, of: key, source: key.variable)
        }
        var fileValues: [String: ConfigurationKey.Value] = [:]
        if let file { fileValues = try ConfigurationFile.read(path: file) }
        return try ServerConfiguration(
            ConfigReader(providers: [
                provider("flags", flagValues), provider("environment", variables),
                provider("file", fileValues), provider("defaults", defaults),
            ]))
    }

    private static let defaults = Dictionary(
        uniqueKeysWithValues: ConfigurationKey.all.map { ($0.name, $0.standard) })

    private static func provider(
        _ name: String, _ values: [String: ConfigurationKey.Value]
    ) -> InMemoryProvider {
        InMemoryProvider(
            name: name,
            values: Dictionary(
                uniqueKeysWithValues: values.map { name, value in
                    (AbsoluteConfigKey([name]), ConfigValue(value.content, isSecret: false))
                }))
    }

    /// The key of this name.
    static func key(_ name: String) throws(ConfigurationError) -> ConfigurationKey {
        if let key = ConfigurationKey.named(name) { return key }
        let known = ConfigurationKey.all.map(\.name).joined(separator: ", ")
        throw ConfigurationError(key: name, message: "there is no such key; keys are \(known)")
    }

    /// A value from the text of a flag or variable.
    static func value(
        _ text: String, of key: ConfigurationKey, source: String
    ) throws(ConfigurationError) -> ConfigurationKey.Value {
        switch key.kind {
        case .text: return .text(text)
        case .texts: return .texts(text.split(separator: ",").map(String.init))
        case .word(let words) where words.contains(text): return .text(text)
        case .flag where text == "true" || text == "false": return .flag(text == "true")
        case .integer(let range):
            if let number = Int(text), range.contains(number) { return .integer(number) }
        case .word, .flag: break
        }
        throw ConfigurationError(
            key: key.name, message: "\(source) must be \(key.kind.expectation), not \(text)")
    }

    private init(_ reader: ConfigReader) throws(ConfigurationError) {
        func integer(_ name: String) -> Int { reader.int(forKey: ConfigKey([name]), default: 0) }
        func text(_ name: String) -> String {
            reader.string(forKey: ConfigKey([name]), default: "")
        }
        options.listen = try Self.addresses(
            reader.stringArray(forKey: ConfigKey(["listen"]), default: []))
        options.allowsInsecurePlaintext = reader.bool(
            forKey: ConfigKey(["insecure-plaintext"]), default: false)
        let data = text("data")
        guard !data.isEmpty else {
            throw ConfigurationError(key: "data", message: "must be a path, or :memory:")
        }
        options.store = data == ":memory:" ? .memory : .file(data)
        let node = text("node")
        options.node = node.isEmpty ? nil : node
        logLevel = Logger.Level(rawValue: text("log-level")) ?? .info
        logFormat = LogFormat(rawValue: text("log-format")) ?? .json
        options.http.allowedHosts =
            try Self.hosts("http-allow", reader, allowsPrivateAddresses: false)
            + Self.hosts("http-allow-private", reader, allowsPrivateAddresses: true)
        options.http.allowPlaintext = reader.bool(
            forKey: ConfigKey(["http-plaintext"]), default: false)
        options.limits.lineBytesMax = integer("max-line")
        options.limits.inflightMax = integer("max-inflight")
        options.limits.pendingBytesMax = integer("max-pending")
        options.limits.connectionsMax = integer("max-connections")
        options.limits.outstandingMax = integer("max-outstanding")
        options.engine.queueRequestsMax = options.limits.outstandingMax
        options.engine.residentInstancesMax = integer("resident-instances")
        options.retention = RetentionOptions(
            steps: integer("keep-steps"), seconds: integer("keep-age-s"),
            bytes: integer("keep-bytes"), doneSeconds: integer("keep-done-s"))
        options.limits.heartbeatMilliseconds = Int64(integer("heartbeat-ms"))
        options.limits.slowConsumerMilliseconds = Int64(integer("slow-consumer-ms"))
        options.limits.lineMilliseconds = Int64(integer("line-timeout-ms"))
        options.graceMilliseconds = Int64(integer("grace-ms"))
    }

    private static func hosts(
        _ key: String, _ reader: ConfigReader, allowsPrivateAddresses: Bool
    ) throws(ConfigurationError) -> [HostPattern] {
        var patterns: [HostPattern] = []
        for text in reader.stringArray(forKey: ConfigKey([key]), default: []) {
            guard
                let pattern = HostPattern(text, allowsPrivateAddresses: allowsPrivateAddresses)
            else {
                throw ConfigurationError(
                    key: key,
                    message: "must be host, host:port or *.domain, not \"\(text)\"")
            }
            patterns.append(pattern)
        }
        return patterns
    }

    /// The addresses that texts such as `localhost:7400` mean.
    static func addresses(_ texts: [String]) throws(ConfigurationError) -> [SocketAddress] {
        var addresses: [SocketAddress] = []
        for text in texts {
            let prefix = "localhost:"
            if text.hasPrefix(prefix),
                let v4 = SocketAddress("127.0.0.1:" + text.dropFirst(prefix.count))
            {
                addresses += [v4, .loopbackV6(port: v4.port)]
            } else if let address = SocketAddress(text) {
                addresses.append(address)
            } else {
                throw ConfigurationError(
                    key: "listen",
                    message: "must be localhost:port, address:port or [IPv6 address]:port, "
                        + "not \"\(text)\"; names are not looked up")
            }
        }
        guard !addresses.isEmpty else {
            throw ConfigurationError(key: "listen", message: "must name at least one address")
        }
        return addresses
    }
}

extension ConfigurationKey.Value {
    fileprivate var content: ConfigContent {
        switch self {
        case .text(let text): .string(text)
        case .texts(let texts): .stringArray(texts)
        case .flag(let flag): .bool(flag)
        case .integer(let number): .int(number)
        }
    }
}

/// The log levels by name.
enum LogLevels {
    static let names = Logger.Level.allCases.map(\.rawValue)
}
