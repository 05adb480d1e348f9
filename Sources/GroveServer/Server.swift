import GroveAccess
import GroveEffects
public import GroveEngine
import GroveNetwork
import GroveProtocol
import GroveTLS
import GroveWire
public import Logging
public import Transducers

/// A server of state machines: listens, hosts a catalogue's machines over a store, and stops
/// without losing what it acknowledged.
///
/// Two queues do the work, `grove.io` and `grove.engine` (docs/internals/queues.md); this actor
/// only starts and stops them. A server is started once.
public actor Server {
    /// The failure to start, or to stop cleanly.
    public enum Failure: Error, Sendable, Equatable {
        /// The options can't be served; exit code 78.
        case configuration(String)
        /// The store can't be opened; the error has the exit code.
        case store(StoreOpenError)
        /// An address can't be listened on; exit code 78.
        case listen(ListenFailure)
        /// The store was not closed properly; acknowledged requests are safe. Exit code 74.
        case close(String)

        /// The exit code for the process (cli.md, "Exit codes").
        public var exitCode: Int32 {
            switch self {
            case .configuration, .listen: ServerExitCode.configuration.rawValue
            case .store(let error): error.exitCode
            case .close: ServerExitCode.inputOutput.rawValue
            }
        }

        /// The problem and its remedy, for the person who started the server.
        public var message: String {
            switch self {
            case .configuration(let message), .close(let message): message
            case .store(let error): error.description
            case .listen(let failure): "can't listen on \(failure.address): \(failure.message)"
            }
        }
    }

    private enum Phase {
        case idle, starting, listening, stopping, stopped
    }

    let options: ServerOptions
    private var machineFolder: MachineFolder?
    /// The machines; with those of the data file once it is open.
    private(set) var catalogue: Catalogue
    private let examples: [Definition]
    var log: Logger
    let engine: EngineLoop
    private(set) var io: SocketLoop?
    private var phase = Phase.idle
    /// The addresses in plaintext, then those with TLS.
    private var addresses: [SocketAddress] = []
    private var encryptedCount = 0
    /// The addresses of HTTP, as browsers take them, such as `http://127.0.0.1:7480`.
    public private(set) var webAddresses: [String] = []
    /// The standard address of HTTP, if it was in use.
    var missingWebAddress: SocketAddress?
    private var listeningWaiters: [CheckedContinuation<Void, Never>] = []
    private var stopWaiters: [CheckedContinuation<Void, Never>] = []

    /// A server that is not started yet; nothing is opened.
    ///
    /// - Parameters:
    ///   - options: The options.
    ///   - catalogue: The machines to host.
    ///   - examples: Machines that give way to definitions of the same names in the data file.
    ///   - log: The logger; payloads, states and keys are never logged.
    ///   - fatal: Called once, on the engine queue, when the store can't be trusted any more;
    ///     it must end the process, which by default exits with 74, or with 65 where stored bytes
    ///     are damaged (reliability.md, P8).
    public init(
        options: ServerOptions, catalogue: Catalogue, examples: [Definition] = [], log: Logger,
        fatal: @escaping @Sendable (StoreError) -> Void = { ServerExitCode($0).exit() }
    ) {
        self.options = options
        graceMilliseconds = options.graceMilliseconds
        self.catalogue = catalogue
        self.examples = examples
        self.log = log
        engine = EngineLoop(
            source: options.store, retention: options.retention, log: log, fatal: fatal)
    }

    /// The longest time for stopping, in milliseconds.
    var graceMilliseconds: Int64

    /// The watch for signals when the server runs as the process.
    var signalWatch: SignalWatch?

    /// The configuration; `nil` for options that the program made.
    var configuration: ServerConfiguration?
    /// The places to read the configuration from again.
    var configurationSource: ConfigurationSource?

    /// Whether it listens and doesn't stop yet.
    var isListening: Bool { phase == .listening }

    /// Whether the program has replaced the server's handler `http`.
    var hasOwnHTTPHandler: Bool { options.handlers[HTTPHandler.name] != nil }

    // MARK: Life

    /// Opens the store and listens; returns when clients can connect.
    public func start() async throws(Failure) {
        precondition(phase == .idle, "a server is started once")
        phase = .starting
        do throws(Failure) {
            try await open()
        } catch {
            phase = .stopped
            resume(&listeningWaiters)
            resume(&stopWaiters)
            throw error
        }
        phase = .listening
        logMissingLibrary(options.http)
        let isOpen = await engine.accounts.isOpen
        logInsecureAddresses(isOpen: isOpen)
        logUnusedTLS(options)
        logOpenAccess(isOpen: isOpen)
        logMissingWebAddress()
        logGuardedAddress(isOpen: isOpen)
        await engine.logUnhostedInstances(
            hint: options.machinesFolder == nil
                ? "start the program that has these machines"
                : "a program's example machines are hosted only without --machines")
        logListening(machines: await engine.machineCount)
        resume(&listeningWaiters)
    }

    /// - Parameter machines: The number of hosted machines, with those of the folder.
    private func logListening(machines: Int) {
        var metadata: Logger.Metadata = [
            "addresses": "\(listeningTexts.joined(separator: " "))",
            "data": "\(options.store.name)",
            "machines": .stringConvertible(machines),
        ]
        if !webAddresses.isEmpty { metadata["web"] = "\(webAddresses.joined(separator: " "))" }
        log.info("listening", metadata: metadata)
    }

    /// Raises the limit of open files for `connections` connections, or logs that it can't.
    func raiseDescriptorLimit(forConnections connections: Int) {
        guard let descriptors = DescriptorLimit.raise(connections: connections) else { return }
        log.warning(
            "fewer descriptors than max-connections needs; raise the hard limit (ulimit -Hn)",
            metadata: ["descriptors": .stringConvertible(descriptors)])
    }

    private func open() async throws(Failure) {
        try Self.checkAddresses(options)
        let tls = try Self.makeTLS(options)
        let tlsForHTTP = try Self.makeTLS(options, for: .http)
        SignalWatch.ignoreFatal()
        raiseDescriptorLimit(forConnections: options.limits.connectionsMax)
        let handlers = try allHandlers(http: Self.readSecrets(options.http))
        // First, so that a failed start leaves nothing else open.
        let sockets: [BoundSocket]
        do throws(ListenFailure) {
            sockets = try listen()
        } catch {
            throw .listen(error)
        }
        let logID: LogID
        do {
            (logID, catalogue) = try await engine.open(
                catalogue: catalogue, examples: examples, options: engineOptions(handlers))
        } catch {
            for socket in sockets { socket.file?.remove() }
            throw .store(error)
        }
        let accounts = await engine.accounts
        do throws(Failure) {
            try Self.checkAccounts(
                options, isOpen: accounts.isOpen, data: options.store.dataPath)
        } catch {
            for socket in sockets { socket.file?.remove() }
            do { try await engine.close() } catch { throw .close("\(error)") }
            throw error
        }
        logUnknownMachines(options.retention)
        var context = Self.context(options, catalogue, log: logID, accounts: accounts)
        context.setWitness(await engine.decoderWitness)
        let heartbeat = await engine.heartbeat()
        if let heartbeat {
            context.withhold(heartbeat.trapped, setAside: heartbeat.setAside)
        }
        let io = SocketLoop(
            context: context, engine: engine, log: log,
            http: Self.httpSettings(options, node: context.node), tls: tls, tlsForHTTP: tlsForHTTP,
            forwarder: MetricsForwarder(options.metrics),
            engineNumbers: heartbeat?.numbers ?? [],
            reload: { [weak self] in
                await self?.reload() ?? .refused("the server is stopping")
            })
        self.io = io
        await engine.start(io, handlers: handlers)
        if let folder = options.machinesFolder {
            let folder = MachineFolder(folder, engine: engine, log: log)
            await folder.start()
            machineFolder = folder
        }
        await io.start()
        await io.accept(on: sockets)
        let lines = sockets.filter { $0.speech == .lines }
        addresses = lines.map(\.address)
        encryptedCount = lines.count(where: \.isEncrypted)
        webAddresses = sockets.filter { $0.speech != .lines }.map(\.webText)
    }

    /// The bounds of the engine, with the traits of the handlers that it may dispatch to.
    private func engineOptions(_ handlers: EffectHandlers) -> EngineOptions {
        var engineOptions = options.engine
        for handler in handlers.all {
            engineOptions.handlers[handler.name] = HandlerTraits(
                concurrencyMax: handler.concurrencyMax,
                perShareMax: handler.shares?.runsMax ?? .max, share: handler.shares?.name)
        }
        engineOptions.random = SystemRandomNumberGenerator()
        engineOptions.connectionWindow = max(1, options.limits.pendingBytesMax / 2)
        engineOptions.publicationsWindow = options.limits.bufferBytesMax / 2
        return engineOptions
    }

    /// What all connections share.
    private static func context(
        _ options: ServerOptions, _ catalogue: Catalogue, log: LogID, accounts: AccountsTable
    ) -> ProtocolContext {
        var context = ProtocolContext(
            catalogue: catalogue, log: log, node: options.node ?? node(log),
            limits: options.limits, now: Clock.now())
        context.change(accounts)
        context.makeToken = { BearerToken.generate() }
        context.waysToAuthenticate = waysToAuthenticate(options.tls, at: options.listenTLS)
        return context
    }

    /// How clients can say who they are.
    static func waysToAuthenticate(
        _ tls: TLSServerOptions, at addresses: [SocketAddress]
    ) -> [String] {
        let asks = !addresses.isEmpty && tls.clientCertificates != .none
        return asks ? ["token", "certificate"] : ["token"]
    }

    /// The handlers of the options and the server's own.
    private func allHandlers(http: HTTPOptions) throws(Failure) -> EffectHandlers {
        var handlers = options.handlers
        if handlers[HTTPHandler.name] == nil {
            handlers.register(HTTPHandler.make(options: http))
        }
        for definition in catalogue.all {
            for needed in definition.handlers where handlers[needed] == nil {
                let known = handlers.all.map(\.name).joined(separator: ", ")
                throw .configuration(
                    "machine \(definition.name) needs the handler \"\(needed)\", which is not "
                        + "registered; there are \(known)")
            }
        }
        return handlers
    }

    private static func node(_ log: LogID) -> String { "grove-" + log.high.hexDigits }

    /// Returns when the server listens, or has failed to.
    public func waitUntilListening() async {
        guard phase == .idle || phase == .starting else { return }
        await withCheckedContinuation { listeningWaiters.append($0) }
    }

    /// Returns when the server has stopped.
    public func waitUntilStopped() async {
        guard phase != .stopped else { return }
        await withCheckedContinuation { stopWaiters.append($0) }
    }

    /// The first address it listens on; `nil` before it does.
    public var listeningAddress: SocketAddress? { addresses.first }

    /// All addresses it listens on: those in plaintext, then those with TLS.
    public var listeningAddresses: [SocketAddress] { addresses }

    /// The addresses it listens on whose connections begin with TLS.
    public var listeningAddressesTLS: [SocketAddress] { addresses.suffix(encryptedCount) }

    /// All addresses as in the key `listen`: those with TLS as `tls:address:port`.
    public var listeningTexts: [String] {
        addresses.dropLast(encryptedCount).map(\.description)
            + listeningAddressesTLS.map { ServerConfiguration.tlsPrefix + $0.description }
    }

    /// Stops: accepts no more connections, answers accepted requests, notifies clients and
    /// subscriptions, sends waiting bytes until the deadline, closes connections, then the store.
    ///
    /// - Parameter graceMilliseconds: The longest time for it; `nil` for the configured time.
    /// - Throws: ``Failure/close(_:)``.
    public func stop(graceMilliseconds: Int64? = nil) async throws(Failure) {
        guard phase == .listening, let io else { return await waitUntilStopped() }
        phase = .stopping
        let grace = max(0, graceMilliseconds ?? self.graceMilliseconds)
        // The rest of the time is for closing the store.
        let deadline = max(grace / 2, grace - 1_000)
        log.info("draining", metadata: ["deadline_ms": .stringConvertible(deadline)])
        await machineFolder?.stop()
        await io.stopListening()
        await io.drain(milliseconds: deadline)
        await engine.stopEffects(grace: .milliseconds(deadline / 2))
        await engine.finish(milliseconds: deadline / 4)
        // The engine's last answers are on the queue before this.
        await io.closeGently()
        await waitUntilIdle(io, milliseconds: deadline)
        await io.closeAtOnce()
        var problem: Failure?
        do {
            try await engine.close()
        } catch {
            problem = .close("the data file was not closed as it should: \(error)")
        }
        phase = .stopped
        log.info("stopped")
        resume(&stopWaiters)
        if let problem { throw problem }
    }

    private func waitUntilIdle(_ io: SocketLoop, milliseconds: Int64) async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await io.waitUntilIdle() }
            group.addTask {
                // Cancelled when the connections are gone first.
                try? await Task.sleep(for: .milliseconds(milliseconds))
                await io.stopWaiting()
            }
            await group.next()
            group.cancelAll()
        }
    }

    private func resume(_ waiters: inout [CheckedContinuation<Void, Never>]) {
        for waiter in waiters { waiter.resume() }
        waiters.removeAll()
    }
}
