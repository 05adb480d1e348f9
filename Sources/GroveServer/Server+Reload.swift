import GroveEffects
import GroveEngine
import GroveNetwork
import GroveProtocol
import Logging
import Transducers

/// Taking another configuration while the server runs.
extension Server {
    /// Takes note of what the server runs with, and of where to read that again.
    func remember(_ configuration: ServerConfiguration?, from source: ConfigurationSource?) {
        self.configuration = configuration
        rereading = source
    }

    /// Reads the configuration again and takes what can change while it runs: keys that
    /// ``ConfigurationKey/isReloadable`` is true of. The others are named in the log. A
    /// configuration with errors changes nothing.
    ///
    /// The queues get their values by post, behind what waits there; what is under way goes on
    /// by the old ones.
    func reload() {
        guard let source = rereading, let running = configuration else {
            log.warning("not reloaded: the configuration is compiled in")
            return
        }
        guard isListening else {
            log.warning("not reloaded: the server is starting or stopping")
            return
        }
        let reload: ConfigurationReload
        do {
            reload = try ConfigurationReload(source, running: running)
        } catch {
            log.error(
                "not reloaded: the configuration has errors",
                metadata: [
                    "problems": "\(error.problems.map(\.description).joined(separator: "; "))"
                ])
            return
        }
        tell(reload, running: running.logLevel)
        apply(reload.configuration)
        configuration = reload.configuration
    }

    /// Says what changes, by the level that says more.
    private func tell(_ reload: ConfigurationReload, running level: Logger.Level) {
        var log = log
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

    /// Says which machines have bounds and aren't hosted: that may be meant, or a slip of the pen.
    func tellUnknownMachines(_ retention: RetentionOptions) {
        let unknown = retention.machinesUnknown(to: catalogue)
        guard !unknown.isEmpty else { return }
        log.notice(
            "keep-machines names machines that are not hosted",
            metadata: ["machines": "\(unknown.joined(separator: " "))"])
    }

    /// Says that machines which are hosted and may make requests can't, and what to install. The
    /// library is only looked for when requests are allowed at all.
    func tellMissingLibrary(_ http: HTTPOptions) {
        let machines = catalogue.all.filter { $0.handlers.contains(HTTPHandler.name) }
        guard !hasOwnHTTPHandler, !http.allowedHosts.isEmpty, !machines.isEmpty,
            let problem = HTTPHandler.missingLibrary(options: http)
        else { return }
        let names = machines.map(\.name).joined(separator: " ")
        log.warning("\(problem)", metadata: ["machines": "\(names)"])
    }

    private func apply(_ configuration: ServerConfiguration) {
        let options = configuration.options
        tellMissingLibrary(options.http)
        let level = configuration.logLevel
        log.logLevel = level
        let grace = options.graceMilliseconds
        graceMilliseconds = grace
        signalWatch?.post { $0.setGrace(milliseconds: grace) }
        let limits = options.limits
        makeRoom(forConnections: limits.connectionsMax)
        io?.post {
            $0.log.logLevel = level
            $0.context.change(limits: limits)
        }
        // A handler of the program's own in the place of the server's stays.
        let http =
            hasOwnHTTPHandler ? nil : HTTPHandler.make(options: options.http)
        var engineOptions = options.engine
        engineOptions.publicationsWindow = limits.bufferBytesMax / 2
        let changedOptions = engineOptions
        let retention = options.retention
        if retention != self.configuration?.options.retention { tellUnknownMachines(retention) }
        engine.post {
            $0.reconfigure(changedOptions, retention: retention, http: http, logLevel: level)
        }
    }
}
