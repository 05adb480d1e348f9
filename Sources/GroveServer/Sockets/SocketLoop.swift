import Dispatch
import GroveAccess
import GroveEngine
import GroveHTTP
import GroveNetwork
import GroveProtocol
import GroveTLS
import GroveWire
import Logging
import Synchronization

/// All sockets and connections on their queue: the left side of architecture.md, "The way of one
/// event". All requests from one readiness event go to the engine in one post, and all lines for
/// one connection from one post of the engine leave in one write.
actor SocketLoop: QueueActor {
    nonisolated let executor = QueueExecutor(label: "grove.io")
    nonisolated var unownedExecutor: UnownedSerialExecutor {
        executor.asUnownedSerialExecutor()
    }

    let engine: EngineLoop
    var log: Logger { didSet { http.logsAnswers = log.logLevel <= .debug } }
    // Unchecked, as `Connection.machine` is, for the same reason.
    @exclusivity(unchecked) var context: ProtocolContext
    /// What connections with HTTP share.
    @exclusivity(unchecked) var http: HTTPContext
    var connections: [UInt64: Connection] = [:]
    var listeners: [Listener] = []
    var peers = PeerTable()
    /// Wrong tokens by address.
    var backoff = AddressBackoff<PeerGroup>()
    /// Writes lines about them, and about refused requests.
    var accessLog = AccessLog()
    /// Reads the configuration again, for the op `reload`.
    let reloadServer: @Sendable () async -> ReloadOutcome
    /// Drawings of machines that connections with HTTP wait for.
    var drawings = DrawingDesk()
    /// Makes them. No tasks of the cooperative pool do, because effect handlers can block all its
    /// threads.
    nonisolated let drawingThread = DispatchQueue(label: "grove.drawings", qos: .utility)
    var reserve = ReserveDescriptor()
    var lastConnection: UInt64 = 0
    @exclusivity(unchecked) var counters = Counters()
    /// Limits lines about clients that use another protocol.
    var foreignLines = LogThrottle()
    /// Limits lines about descriptors that have run out.
    var exhaustedLines = LogThrottle()
    /// Whether the loop has reacted to short memory.
    private(set) var isShort = false
    /// Decides when the log reports that.
    var shortageNotice = ConditionNotice()
    private var touched: [Connection] = []
    let poller: Poller
    var readiness: (any DispatchSourceRead)?
    /// The requests of the sockets that were read in this turn, by connection.
    var collected: [[Request]] = []
    var collectedRequests = 0
    var isCollecting = false
    /// Whether enough requests were read for this turn, because others wait, or the engine.
    var isTurnOver = false
    /// Whether only the engine's thread reads sockets, between two commits.
    var isReadingSuspended = false
    /// Whether a turn of reading runs.
    nonisolated let isAtWork = Atomic(false)
    private var timer: (any DispatchSourceTimer)?
    private var idleWaiters: [CheckedContinuation<Void, Never>] = []
    private var isWaitingOver = false
    let started = Clock.uptime()
    var commits = Commits()
    /// The engine's numbers in its last answer to a ping.
    var engineNumbers: [(name: String, value: Int64)]
    /// The members of this queue's numbers, and the turn in which they were counted.
    var lastStatistics: (at: Int64, members: [UInt8])?
    /// Forwards numbers to the process's metrics library, if there is one.
    var forwarder: MetricsForwarder?
    // Reused by every read; a chunk of this size is one system call and one burst.
    let readBuffer = ReadBuffer(bytes: ServerLimits.readBytesMax)
    /// Bytes written to buffers in this turn and not counted yet.
    private var uncounted = 0
    /// Whether closing connections would make no room, because each holds little.
    var isRoomless = false
    /// Limits lines about connections that were closed to make room.
    var overdraftLines = LogThrottle()

    /// The certificate and the rules of new connections with TLS; `nil` if no address has any.
    var tls: TLSContext?
    /// The same with the protocol of browsers.
    var tlsForHTTP: TLSContext?
    /// Decides when the log warns of a certificate's end.
    var certificateWatch: CertificateWatch?
    /// The same for lists of revoked certificates.
    var revocationWatch: CertificateWatch?
    /// The connections whose handshake isn't complete.
    var handshakes = HandshakeTable()
    /// The open connections whose clients haven't said who they are.
    var unknowns = HandshakeTable()
    /// The pace at which handshakes begin.
    var handshakePace = HandshakePace()
    /// Whether those that wait for it will be looked at.
    var isPacePosted = false
    /// Limits lines about clients whose certificate was refused.
    var refusedCertificates = LogThrottle()
    /// Handshakes of which a step was made in this turn.
    var handshakeSteps = 0
    // Reused by every read through TLS.
    var plaintext: [UInt8] = []

    struct Counters {
        var handshakes: Int64 = 0
        var handshakesFailed: [String: Int64] = [:]
        var handshakesPaced: Int64 = 0
        var accepted: Int64 = 0
        var refused: Int64 = 0
        var bytesIn: Int64 = 0
        var bytesOut: Int64 = 0
        var replies: Int64 = 0
    }

    /// The time that a connection may linger after its last byte was sent.
    static let lingerMilliseconds: Int64 = 500

    /// A loop without listeners.
    init(
        context: consuming ProtocolContext, engine: EngineLoop, log: Logger,
        http: HTTPSettings = HTTPSettings(), tls: TLSContext? = nil,
        tlsForHTTP: TLSContext? = nil, forwarder: MetricsForwarder? = nil,
        engineNumbers: [(name: String, value: Int64)] = [],
        reload: @escaping @Sendable () async -> ReloadOutcome
    ) {
        reloadServer = reload
        self.context = context
        self.http = HTTPContext(http)
        self.http.logsAnswers = log.logLevel <= .debug
        self.tls = tls
        self.tlsForHTTP = tlsForHTTP
        certificateWatch = tls.flatMap { CertificateWatch($0.certificates) }
        revocationWatch = CertificateWatch(revocationsEnd: tls?.revocationsEnd)
        self.engine = engine
        poller = Poller(reportsMax: Self.reportsPerTurn, waker: engine.waker)
        self.log = log
        self.forwarder = forwarder
        self.engineNumbers = engineNumbers
    }

    /// Starts a turn: all its events have the present time.
    func refreshNow() {
        let microseconds = Clock.microseconds()
        context.microseconds = microseconds
        context.now = Moment(uptime: microseconds / 1_000, time: Clock.time())
    }

    // MARK: Control

    /// Starts to watch the sockets, and the timer that ticks once per second.
    func start() {
        refreshNow()
        warnOfCertificate()
        let poller = poller
        let readiness = DispatchSource.makeReadSource(
            fileDescriptor: poller.fd, queue: executor.queue)
        readiness.setEventHandler { [weak self] in self?.assumeIsolated { $0.pollReady() } }
        readiness.setCancelHandler { withExtendedLifetime(poller) {} }
        readiness.resume()
        self.readiness = readiness
        let timer = DispatchSource.makeTimerSource(queue: executor.queue)
        timer.schedule(deadline: .now() + 1, repeating: 1, leeway: .milliseconds(100))
        timer.setEventHandler { [weak self] in self?.assumeIsolated { $0.tick() } }
        timer.resume()
        self.timer = timer
    }

    /// Notifies every client that the server is shutting down; new requests are refused.
    func drain(milliseconds: Int64) {
        refreshNow()
        context.health.isDraining = true
        for id in connections.keys.sorted() {
            guard let connection = connections[id] else { continue }
            if connection.isHandshaking {
                connection.machine.close(.serverShutdown)
                remove(connection)
                continue
            }
            connection.machine.drain(milliseconds: milliseconds, using: &context)
            update(connection)
        }
    }

    /// Closes every connection after its waiting bytes were sent, and its drawing, if it waits for
    /// one.
    func closeGently() {
        refreshNow()
        drawings.isClosing = true
        for connection in connections.values where connection.http?.connection.isDrawing != true {
            connection.machine.close(.serverShutdown)
            update(connection)
        }
    }

    /// Closes every connection now, and stops the loop.
    func closeAtOnce() {
        for connection in connections.values {
            connection.machine.close(.serverShutdown)
            remove(connection)
        }
        timer?.cancel()
        timer = nil
        logRefusals()
        accessLog.writeLeftOut(log, at: .max)
        readiness?.cancel()
        // A suspended source must be resumed before it is released.
        resumeReading()
        readiness = nil
        forwarder?.end()
        forwarder = nil
    }

    /// Returns when no connection is open.
    func waitUntilIdle() async {
        guard !connections.isEmpty, !isWaitingOver else { return }
        await withCheckedContinuation { idleWaiters.append($0) }
    }

    /// Makes ``waitUntilIdle()`` return although connections are open, also if it is called later:
    /// a deadline may pass before the wait begins.
    func stopWaiting() {
        isWaitingOver = true
        resumeWaiters()
    }

    func resumeWaiters() {
        for waiter in idleWaiters { waiter.resume() }
        idleWaiters.removeAll()
    }

    func resume(_ id: UInt64) {
        guard let connection = connections[id] else { return }
        connection.isResumePosted = false
        refreshNow()
        http.work = HTTPLimits.workPerTurnMax
        update(connection)
    }

    private func tick() {
        // The engine's thread may hang in a commit.
        resumeReading()
        refreshNow()
        refreshHTTP()
        for connection in Array(connections.values) {
            guard connection.lingersUntil == nil, !connection.isHandshaking else { continue }
            connection.measureAccepted(&context)
            connection.machine.tick(using: &context)
            if let http = connection.http { tick(http, of: connection) }
            update(connection)
        }
        foreignLines.warnOverdue(
            log, "more clients spoke another protocol and were turned away",
            at: context.now.uptime)
        exhaustedLines.warnOverdue(
            log, "no descriptor was left, more than once: accepting rested",
            at: context.now.uptime)
        tickTLS()
        logRefusals()
        accessLog.writeLeftOut(log, at: context.now.uptime)
        isRoomless = false
        overdraftLines.warnOverdue(
            log, "buffers were full, more than once: those that held most were closed",
            at: context.now.uptime)
        logShortage()
        recordSeries()
        pingEngine()
        // The number of connections may have changed, and with it each one's share.
        applyMemoryPressure()
    }

    // MARK: From the engine

    /// Sends the results of a commit: replies first, then records, then closes.
    func send(_ ready: Ready, of commit: CommitStats?) {
        resumeReading()
        sendNow(ready, of: commit)
    }

    private func sendNow(_ ready: Ready, of commit: CommitStats?) {
        refreshNow()
        http.work = HTTPLimits.workPerTurnMax
        if let commit { commits.count(commit) }
        if let catalogue = ready.catalogue { context.change(catalogue) }
        if let accounts = ready.accounts {
            send(ready.replies, around: accounts)
        } else {
            sendReplies(ready.replies)
        }
        counters.replies += Int64(ready.replies.count)
        for publication in ready.publications { publish(publication) }
        for close in ready.closes {
            guard let connection = connections[close.connection.value] else { continue }
            connection.machine.close(.slowConsumer)
            touch(connection)
        }
        updateTouched()
        logRefusals()
        readRelieved()
    }

    /// Writes replies to the buffers of their connections. By address, because an array's element
    /// is copied for each call.
    func sendReplies(_ replies: [Ready.ReplyTo]) {
        var last: (id: ConnectionID, connection: Connection)?
        replies.withUnsafeBufferPointer { replies in
            for place in replies.indices {
                let id = replies[place].connection
                if last?.id != id {
                    last = connections[id.value].map { (id, $0) }
                    if let last { touch(last.connection) }
                }
                guard let connection = last?.connection else {
                    context.countLostReply()
                    continue
                }
                let bytes =
                    if case .statistics(let numbers) = replies[place].reply {
                        connection.machine.deliver(
                            statisticsReply(numbers), to: replies[place].token, using: &context)
                    } else {
                        connection.machine.deliver(
                            replies[place].reply, to: replies[place].token, using: &context)
                    }
                if countWritten(bytes) { last = nil }
            }
        }
    }

    /// Counts bytes written to a buffer. Only a bounded part of a large commit's results is in
    /// memory before it is sent, and before slow clients are closed.
    ///
    /// - Returns: Whether buffers were sent, so that some connections may be closed.
    private func countWritten(_ bytes: Int) -> Bool {
        uncounted += max(0, bytes)
        guard uncounted >= ServerLimits.uncountedBytesMax else { return false }
        updateTouched()
        return true
    }

    private func publish(_ publication: Publication) {
        context.prepare(publication.content)
        for recipient in publication.recipients {
            guard let connection = connections[recipient.connection.value] else { continue }
            touch(connection)
            let before = connection.machine.bufferedBytes
            connection.machine.publish(to: recipient, weight: publication.weight, using: &context)
            _ = countWritten(connection.machine.bufferedBytes - before)
        }
    }

    func touch(_ connection: Connection) {
        guard !connection.isTouched else { return }
        connection.isTouched = true
        touched.append(connection)
    }

    private func updateTouched() {
        uncounted = 0
        var connections: [Connection] = []
        swap(&connections, &touched)
        for connection in connections {
            connection.isTouched = false
            update(connection)
        }
    }

    /// Gives the requests of one connection to the engine: at once, or with those of the other
    /// sockets that are ready.
    func submit(_ burst: [Request]) {
        guard !burst.isEmpty else { return }
        // Here and not by the engine's thread, which has more to do.
        Intake.split(burst, into: &collected)
        collectedRequests += burst.count
        guard isCollecting else { return submitCollected() }
        guard collectedRequests >= Self.requestsPerPost else { return }
        if isReadingSuspended {
            isTurnOver = true
        } else {
            submitCollected()
            isTurnOver = !executor.hasNothingWaiting
        }
    }

    func submitCollected() {
        guard !collected.isEmpty else { return }
        var bursts: [[Request]] = []
        swap(&bursts, &collected)
        collectedRequests = 0
        context.endTurn()
        engine.post { [bursts] in $0.submit(bursts) }
    }

    // MARK: After every change

    /// Sends waiting bytes, decodes lines that had to wait for that, then updates all that depends
    /// on the connection's state: reading, the engine's window, the end.
    func update(_ connection: Connection) {
        guard !connection.isClosed else { return }
        send(connection)
        var stock = takeStock(of: connection)
        if stock.canResume {
            var burst: [Request] = []
            connection.machine.resume(into: &burst, using: &context)
            submit(burst)
            noteAccess(of: connection)
            send(connection)
            stock = takeStock(of: connection)
            if stock.canResume { postResume(connection) }
        }
        if let http = connection.http {
            resume(http, of: connection)
            stock = takeStock(of: connection)
        }
        context.buffers.count(stock.bufferedBytes, insteadOf: &connection.countedBytes)
        if context.buffers.isShort != isShort { applyMemoryPressure() }
        if context.buffers.isOverdrawn { closeLargest() }
        if connection.machine.closing != nil, connection.machine.shouldClose { end(connection) }
        if stock.isHeldByQuota { hold(connection) }
        if connection.isCountedUnknown, !stock.mustSayWho { endUnknown(connection) }
        connection.updateReading(&context)
    }

    /// Changes the bounds of unsent bytes per connection when memory becomes short, or free again.
    private func applyMemoryPressure() {
        if context.buffers.isShort != isShort {
            isShort.toggle()
            logShortage()
        }
        guard let bytes = context.applyMemoryPressure() else { return }
        engine.post { $0.setConnectionWindow(bytes / 2) }
    }

    func send(_ connection: Connection) {
        if connection.http != nil { refreshHTTP() }
        counters.bytesOut += Int64(connection.flush(&context, &http))
        if let channel = connection.http, !channel.connection.entries.isEmpty {
            logAnswers(channel, of: connection)
        }
    }
}

extension SocketLoop: ReadyReceiver {
    nonisolated func receive(_ ready: Ready, of commit: CommitStats?) {
        post { $0.send(ready, of: commit) }
    }

    nonisolated func receiveNow(_ ready: Ready, of commit: CommitStats?) -> Bool {
        guard executor.hasNothingWaiting, !isAtWork.load(ordering: .relaxed) else { return false }
        executor.queue.sync { assumeIsolated { $0.sendNow(ready, of: commit) } }
        return true
    }

    nonisolated func readNow() -> [[Request]] {
        guard executor.hasNothingWaiting, !isAtWork.load(ordering: .relaxed) else {
            endReading()
            return []
        }
        // The `sync` that returns a value takes 900 instructions more.
        var bursts: [[Request]] = []
        executor.queue.sync { bursts = assumeIsolated { $0.readForEngine() } }
        return bursts
    }

    nonisolated func endReading() { post { $0.resumeReading() } }

    nonisolated func receive(_ done: @escaping @Sendable () -> Void) { post { _ in done() } }

    nonisolated func receive(_ heartbeat: EngineHeartbeat) { post { $0.apply(heartbeat) } }
}
