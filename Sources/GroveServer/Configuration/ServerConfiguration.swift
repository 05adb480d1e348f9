import GroveNetwork
import GroveTLS
public import Logging

/// The configuration of a server: a flag wins over the environment, the environment over the file,
/// the file over the default (docs/reference/configuration.md).
public struct ServerConfiguration: Sendable {
    /// The options of the server.
    public var options = ServerOptions()
    /// Log events below it are not written.
    public var logLevel = Logger.Level.info
    /// The form of log lines.
    public var logFormat = LogFormat.auto

    /// A logger as configured, on standard error.
    public var logger: Logger {
        Logger(label: "grove") { _ in LineLogHandler(level: logLevel, format: logFormat) }
    }

    /// The defaults.
    public init() {}

    /// Every key with its value and origin, in the order of ``ConfigurationKey/all``.
    public private(set) var settings = ConfigurationKey.all.map {
        ConfigurationSetting(key: $0.name, value: $0.standard, origin: .standard)
    }

    /// Reads a configuration.
    ///
    /// - Parameter source: The places to read.
    /// - Throws: ``ConfigurationError`` with all errors: unknown keys in file and flags, variables
    ///   whose name is similar to a key's, and values that aren't allowed.
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

    /// Applies the settings of all places; those of a `running` server take precedence.
    init(
        _ contents: ConfigurationSource.Contents, running: [ConfigurationSetting]
    ) throws(ConfigurationError) {
        let first = Dictionary((running + contents.settings).map { ($0.key, $0) }) { old, _ in old }
        settings = settings.map { first[$0.key] ?? $0 }
        var problems = contents.problems
        for (key, setting) in zip(ConfigurationKey.all, settings) {
            do throws(ConfigurationError) {
                try key.apply(&self, setting.value)
            } catch {
                problems += error.problems.map {
                    ConfigurationProblem(key: key.name, $0.message, "\(setting.origin)")
                }
            }
        }
        guard problems.isEmpty else { throw ConfigurationError(problems) }
    }

    /// The text before an address whose connections begin with TLS.
    static let tlsPrefix = "tls:"

    /// Sets the addresses to listen on; those after `tls:` begin with TLS.
    mutating func listen(on texts: [String]) throws(ConfigurationError) {
        let isEncrypted = { (text: String) in text.hasPrefix(Self.tlsPrefix) }
        let plain = texts.filter { !isEncrypted($0) }
        let encrypted = texts.filter(isEncrypted).map { String($0.dropFirst(Self.tlsPrefix.count)) }
        options.listen = try plain.isEmpty && !encrypted.isEmpty ? [] : Self.addresses(plain)
        options.listenTLS = try encrypted.isEmpty ? [] : Self.addresses(encrypted)
        if options.listenTLS.contains(where: \.isUnix) {
            throw ConfigurationError(
                "a Unix socket needs no TLS: its file says who may connect; write unix:path")
        }
    }

    /// Sets certificates and keys, which belong together by their order.
    mutating func pair(_ paths: [String], _ path: WritableKeyPath<TLSIdentity, String>) {
        while options.tls.identities.count < paths.count {
            options.tls.identities.append(TLSIdentity(certificate: "", key: ""))
        }
        for (place, text) in paths.enumerated() {
            options.tls.identities[place][keyPath: path] = text
        }
    }

    /// The addresses of texts such as `localhost:7400`.
    static func addresses(_ texts: [String]) throws(ConfigurationError) -> [SocketAddress] {
        var addresses: [SocketAddress] = []
        for text in texts {
            let prefix = "localhost:"
            if case .unix(let path)? = AddressText(text) {
                if let problem = SocketAddress.pathProblem(path) {
                    throw ConfigurationError(problem)
                }
                addresses.append(.unix(path: path))
            } else if text.hasPrefix(prefix),
                let v4 = SocketAddress("127.0.0.1:" + text.dropFirst(prefix.count))
            {
                addresses += [v4, .loopbackV6(port: v4.port)]
            } else if let address = SocketAddress(text) {
                addresses.append(address)
            } else {
                throw ConfigurationError(
                    "must be localhost:port, address:port, [IPv6 address]:port, one of them after "
                        + "tls:, or unix:path, not \"\(text)\"; names are not looked up")
            }
        }
        guard !addresses.isEmpty else {
            throw ConfigurationError("must name at least one address")
        }
        return addresses
    }
}
