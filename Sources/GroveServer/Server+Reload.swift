import GroveAccess
import GroveEffects
import GroveEngine
import GroveNetwork
import GroveProtocol
import GroveTLS
import Logging
import Transducers

/// Changing the configuration while the server runs.
extension Server {
    /// Sets the configuration of the running server, and the places to read it from again.
    func configure(_ configuration: ServerConfiguration?, from source: ConfigurationSource?) {
        self.configuration = configuration
        configurationSource = source
    }

    /// Reads the configuration again and applies the keys that can change while it runs
    /// (``ConfigurationKey/isReloadable``). The log names the others. A configuration with errors
    /// changes nothing.
    ///
    /// The queues receive their values in order with other work; work that has begun keeps the old
    /// ones.
    func reload() async -> ReloadOutcome {
        let isOpen = await engine.accounts.isOpen
        guard let source = configurationSource, let running = configuration else {
            let why = "not reloaded: the configuration is compiled in"
            log.warning("\(why)")
            return .refused(why)
        }
        guard isListening else {
            let why = "not reloaded: the server is starting or stopping"
            log.warning("\(why)")
            return .refused(why)
        }
        let reload: ConfigurationReload
        do {
            reload = try ConfigurationReload(source, running: running)
        } catch {
            let problems = error.problems.map(\.description).joined(separator: "; ")
            log.error(
                "not reloaded: the configuration has errors", metadata: ["problems": "\(problems)"])
            return .refused("not reloaded: the configuration has errors: \(problems)")
        }
        let tls: TLSContext?
        let tlsForHTTP: TLSContext?
        let http: HTTPOptions
        do {
            try Self.checkAddresses(reload.configuration.options)
            try Self.checkAccounts(
                reload.configuration.options, isOpen: isOpen, data: options.store.dataPath)
            // Also when no key has changed: new files may lie at the same paths.
            tls = try Self.makeTLS(reload.configuration.options)
            tlsForHTTP = try Self.makeTLS(reload.configuration.options, for: .http)
            http = try Self.readSecrets(reload.configuration.options.http)
        } catch {
            log.error("not reloaded", metadata: ["problems": "\(error.message)"])
            return .refused("not reloaded: \(error.message)")
        }
        log(reload, running: running.logLevel)
        apply(reload.configuration, http: http)
        io?.post { $0.change(tls: tls, forHTTP: tlsForHTTP) }
        for certificate in tls?.certificates ?? [] {
            log.info(
                "certificate read again",
                metadata: [
                    "subject": "\(certificate.subject)",
                    "left_s": .stringConvertible(
                        certificate.expires - Clock.time().milliseconds / 1_000),
                ])
        }
        logUnusedTLS(reload.configuration.options)
        logFiles(of: reload.configuration.options)
        configuration = reload.configuration
        return .reloaded(
            changed: reload.changes.map(\.description),
            needsRestart: reload.waiting.map(\.description))
    }

    /// Logs the changes, at the lower one of both levels.
    private func log(_ reload: ConfigurationReload, running level: Logger.Level) {
        var log = self.log
        log.logLevel = min(level, reload.configuration.logLevel)
        var metadata: Logger.Metadata = [:]
        if !reload.changes.isEmpty {
            metadata["changed"] = "\(reload.changes.map(\.description).joined(separator: "; "))"
        }
        if !reload.waiting.isEmpty {
            metadata["needs_restart"] =
                "\(reload.waiting.map(\.description).joined(separator: "; "))"
        }
        log.info(
            reload.changes.isEmpty
                ? "configuration reloaded, nothing changed" : "configuration reloaded",
            metadata: metadata)
    }

    /// Logs the files that were read again, besides certificates.
    private func logFiles(of options: ServerOptions) {
        if let file = options.tls.clientRevocations {
            log.info("revoked certificates read again", metadata: ["file": "\(file)"])
        }
        if !options.http.secretGrants.isEmpty {
            log.info(
                "secrets read again",
                metadata: ["secrets": .stringConvertible(options.http.secretGrants.count)])
        }
    }

    /// Logs the machines that have bounds and aren't hosted: possibly a typo.
    func logUnknownMachines(_ retention: RetentionOptions) {
        let unknown = retention.machinesUnknown(to: catalogue)
        guard !unknown.isEmpty else { return }
        log.notice(
            "keep-machines names machines that are not hosted",
            metadata: ["machines": "\(unknown.joined(separator: " "))"])
    }

    /// Logs that hosted machines can't make HTTP requests without a library, and its name. The
    /// library is only searched when some requests are allowed.
    func logMissingLibrary(_ http: HTTPOptions) {
        let machines = catalogue.all.filter { $0.handlers.contains(HTTPHandler.name) }
        guard !hasOwnHTTPHandler, !http.allowedHosts.isEmpty, !machines.isEmpty,
            let problem = HTTPHandler.missingLibrary(options: http)
        else { return }
        let names = machines.map(\.name).joined(separator: " ")
        log.warning("\(problem)", metadata: ["machines": "\(names)"])
    }

    private func apply(_ configuration: ServerConfiguration, http: HTTPOptions) {
        let options = configuration.options
        logMissingLibrary(options.http)
        let level = configuration.logLevel
        log.logLevel = level
        let grace = options.graceMilliseconds
        graceMilliseconds = grace
        signalWatch?.post { $0.setGrace(milliseconds: grace) }
        let limits = options.limits
        // Addresses stay until a restart.
        let ways = Self.waysToAuthenticate(options.tls, at: self.options.listenTLS)
        raiseDescriptorLimit(forConnections: limits.connectionsMax)
        var reach = options
        (reach.listen, reach.listenTLS) = (self.options.listen, self.options.listenTLS)
        reach.unixSocketMode = self.options.unixSocketMode
        let lines = reach.linesReach
        io?.post {
            $0.changeReach(lines)
            $0.log.logLevel = level
            $0.context.change(limits: limits)
            $0.context.waysToAuthenticate = ways
            $0.changeHTTP(limits)
        }
        // The program's handler stays if it has replaced the server's.
        let handler = hasOwnHTTPHandler ? nil : HTTPHandler.make(options: http)
        var engineOptions = options.engine
        engineOptions.publicationsWindow = limits.bufferBytesMax / 2
        let changedOptions = engineOptions
        let retention = options.retention
        if retention != self.configuration?.options.retention { logUnknownMachines(retention) }
        engine.post {
            $0.reconfigure(changedOptions, retention: retention, http: handler, logLevel: level)
        }
    }
}
