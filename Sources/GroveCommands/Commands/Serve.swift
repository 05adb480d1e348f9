import ArgumentParser
import GroveEngine
import GroveNetwork
import GroveServer
import Logging
import Transducers

struct Serve<Application: GroveApplication>: AsyncParsableCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "serve",
            abstract: "Run the server.",
            discussion: """
                Listens until SIGTERM or SIGINT, then drains: finishes accepted requests, notifies \
                its clients, closes. A second signal ends it at once, which loses nothing that was \
                acknowledged. All state is in one data file.

                  grove serve --data grove.db
                  grove serve --machines ./machines
                  grove serve --config grove.json --log-level debug
                  grove serve --listen localhost:7400 --listen unix:/run/grove/grove.sock
                  grove serve --listen 10.0.0.5:7400 --insecure-plaintext --data my.db

                Every flag except --config, --print-config and --json can also be set in the \
                configuration file, under its name, or in the environment, as GROVE_ and its \
                name: GROVE_MAX_LINE. A flag wins over the environment, the environment over the \
                file. --config or $GROVE_CONFIG names the file. At SIGHUP it is read again.

                Exit codes: 0 stopped cleanly, 64 wrong usage, 65 the data file is refused, 73 \
                another server owns it, 74 I/O error, 78 wrong configuration or address.
                """)
    }

    @Option(help: ArgumentHelp("A configuration file.", valueName: "file"), completion: .file())
    var config: String?

    @Option(help: Serve.help("listen", "May be repeated.")) var listen: [String] = []
    @Flag(inversion: .prefixedNo, help: Serve.help("insecure-plaintext", "Or: true, false."))
    var insecurePlaintext: Bool?
    @Flag(inversion: .prefixedNo, help: Serve.help("insecure-anonymous", "Or: true, false."))
    var insecureAnonymous: Bool?
    @Option(help: Serve.help("data"), completion: .file()) var data: String?
    @Option(
        name: [.customLong("machines-dir"), .customLong("machines")],
        help: Serve.help("machines-dir"), completion: .directory)
    var machinesDir: String?
    @Option(help: Serve.help("node")) var node: String?
    @Option(help: Serve.help("log-level"), completion: Serve.words("log-level"))
    var logLevel: String?
    @Option(help: Serve.help("log-format"), completion: Serve.words("log-format"))
    var logFormat: String?
    @Option(help: Serve.help("tls-certificate", "May be repeated."), completion: .file())
    var tlsCertificate: [String] = []
    @Option(help: Serve.help("tls-key", "May be repeated."), completion: .file())
    var tlsKey: [String] = []
    @Option(help: Serve.help("tls-min-version"), completion: Serve.words("tls-min-version"))
    var tlsMinVersion: String?
    @Option(help: Serve.help("tls-client-ca"), completion: .file()) var tlsClientCa: String?
    @Option(
        help: Serve.help("tls-client-certificates"),
        completion: Serve.words("tls-client-certificates"))
    var tlsClientCertificates: String?
    @Option(help: Serve.help("tls-client-crl"), completion: .file()) var tlsClientCrl: String?
    @Option(help: Serve.help("tls-handshakes-per-s")) var tlsHandshakesPerS: String?
    @Option(help: Serve.help("web-listen", "May be repeated.")) var webListen: [String] = []
    @Option(help: Serve.help("web-listen-read", "May be repeated."))
    var webListenRead: [String] = []
    @Option(help: Serve.help("web-hosts", "May be repeated.")) var webHosts: [String] = []
    @Option(help: Serve.help("web-origins", "May be repeated.")) var webOrigins: [String] = []
    @Flag(inversion: .prefixedNo, help: Serve.help("web-console", "Or: true, false."))
    var webConsole: Bool?
    @Option(help: Serve.help("web-idle-ms")) var webIdleMs: String?
    @Option(help: Serve.help("http-allow", "May be repeated.")) var httpAllow: [String] = []
    @Option(help: Serve.help("http-allow-private", "May be repeated."))
    var httpAllowPrivate: [String] = []
    @Flag(inversion: .prefixedNo, help: Serve.help("http-plaintext", "Or: true, false."))
    var httpPlaintext: Bool?
    @Option(help: Serve.help("http-max-per-host")) var httpMaxPerHost: String?
    @Option(help: Serve.help("secrets", "May be repeated.")) var secrets: [String] = []
    @Option(help: Serve.help("secrets-dir"), completion: .directory) var secretsDir: String?
    @Option(help: Serve.help("http-ca"), completion: .file()) var httpCa: String?
    @Option(help: Serve.help("max-line")) var maxLine: String?
    @Option(help: Serve.help("max-inflight")) var maxInflight: String?
    @Option(help: Serve.help("max-pending")) var maxPending: String?
    @Option(help: Serve.help("max-connections")) var maxConnections: String?
    @Option(help: Serve.help("max-connections-per-address")) var maxConnectionsPerAddress: String?
    @Option(help: Serve.help("max-buffers")) var maxBuffers: String?
    @Option(help: Serve.help("socket-mode")) var socketMode: String?
    @Option(help: Serve.help("max-outstanding")) var maxOutstanding: String?
    @Option(help: Serve.help("resident-instances")) var residentInstances: String?
    @Option(help: Serve.help("resident-bytes")) var residentBytes: String?
    @Option(help: Serve.help("keep-steps")) var keepSteps: String?
    @Option(help: Serve.help("keep-age-s")) var keepAgeS: String?
    @Option(help: Serve.help("keep-bytes")) var keepBytes: String?
    @Option(help: Serve.help("keep-machines", "May be repeated.")) var keepMachines: [String] = []
    @Option(help: Serve.help("keep-done-s")) var keepDoneS: String?
    @Option(help: Serve.help("heartbeat-ms")) var heartbeatMs: String?
    @Option(help: Serve.help("slow-consumer-ms")) var slowConsumerMs: String?
    @Option(help: Serve.help("line-timeout-ms")) var lineTimeoutMs: String?
    @Option(help: Serve.help("grace-ms")) var graceMs: String?

    @Flag(help: "Print every key with its value and origin, and exit.")
    var printConfig = false
    @Flag(help: "With --print-config: print a configuration file.")
    var json = false

    func validate() throws {
        if json && !printConfig { throw ValidationError("--json goes with --print-config.") }
    }

    func run() async throws {
        // Before anything is read.
        ProcessLimits.forbidCores()
        var source = Server.environmentSource
        source.file = config ?? source.file
        source.flags = flags
        source.defaults = Application.defaults
        let configuration: ServerConfiguration
        do throws(ConfigurationError) {
            configuration = try ServerConfiguration.load(source)
        } catch {
            for problem in error.problems { Output.note("error: \(problem)") }
            if json {
                let message = error.problems.map(\.description).joined(separator: "; ")
                // The exit code says it too, and a closed output must not change that.
                try? Output.line(
                    Failures.json(
                        ExitCode(error.exitCode), message, name: "CONFIGURATION_ERROR"))
            }
            throw ExitCode(error.exitCode)
        }
        if printConfig {
            for line in configuration.lines(asJSON: json) { try Output.line(line) }
            return
        }
        let handlers = try await Application.handlers()
        do throws(Server.Failure) {
            let server = try Server(
                configuration, hosting: Application.definitions,
                examples: Application.examples, handlers: handlers)
            let announcement = Task { await Serve.announce(server, configuration) }
            defer { announcement.cancel() }
            try await server.run(configuration, from: source)
        } catch {
            Output.note("error: \(error.message)")
            throw ExitCode(error.exitCode)
        }
    }

    /// Prints on standard output that clients can connect, one line per address, for people and
    /// programs that started the server: with port 0 they learn the port from it. Prints nothing if
    /// the log has the same on the same terminal.
    private static func announce(_ server: Server, _ configuration: ServerConfiguration) async {
        await server.waitUntilListening()
        if configuration.logLevel <= .info && Output.areBothTerminals { return }
        let store = configuration.options.store.name
        for address in await server.listeningTexts + server.webAddresses {
            // The server keeps running when the reader of standard output is gone.
            try? Output.line("listening \(address) data=\(store)")
        }
    }

    /// The given flags by their keys' names: each option's name is its key's, in camel case.
    private var flags: [String: String] {
        var flags: [String: String] = [:]
        for child in Mirror(reflecting: self).children {
            let name = ProgramName.hyphenated(String(child.label?.dropFirst() ?? ""))
            guard ConfigurationKey.named(name) != nil else { continue }
            switch child.value {
            case let option as Option<String?>: flags[name] = option.wrappedValue
            case let option as Option<[String]>:
                let texts = option.wrappedValue
                flags[name] = texts.isEmpty ? nil : texts.joined(separator: ",")
            case let flag as Flag<Bool?>: flags[name] = flag.wrappedValue.map(String.init)
            default: preconditionFailure("--\(name) has another type")
            }
        }
        return flags
    }

    /// Completes the words that a key may have.
    private static func words(_ name: String) -> CompletionKind {
        guard case .word(let words) = ConfigurationKey.named(name)?.kind else { return .default }
        return .list(words)
    }

    /// The reason for a key, with its default.
    private static func help(_ name: String, _ more: String = "") -> ArgumentHelp {
        guard let key = ConfigurationKey.named(name) else { return "Not in this version." }
        var text = key.reason
        if !more.isEmpty { text += " " + more }
        let unit = key.unit.isEmpty ? "" : " \(key.unit)"
        let standard = ConfigurationKey.text(key.standard).replacing(",", with: ", ")
        if key.kind != .flag, !standard.isEmpty { text += " (default: \(standard)\(unit))" }
        return ArgumentHelp(stringLiteral: text)
    }
}
