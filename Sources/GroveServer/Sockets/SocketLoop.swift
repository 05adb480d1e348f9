import Dispatch
import GroveEngine
import GroveNetwork
import GroveProtocol
import GroveWire
import Logging

/// All sockets and connections on their queue: the left side of architecture.md, "The way of one
/// event". Everything from one readiness event goes to the engine in one post, and
/// everything for one connection from one post of the engine leaves in one write.
actor SocketLoop: QueueActor {
    nonisolated let executor = QueueExecutor(label: "grove.io")
    nonisolated var unownedExecutor: UnownedSerialExecutor {
        executor.asUnownedSerialExecutor()
    }

    let engine: EngineLoop
    var log: Logger
    var context: ProtocolContext
    var connections: [UInt64: Connection] = [:]
    var listeners: [Listener] = []
    var peers = PeerTable()
    var reserve = ReserveDescriptor()
    var lastConnection: UInt64 = 0
    var counters = Counters()
    /// Lines about clients that speak another protocol.
    var foreignLines = LogThrottle()
    /// Whether it is known that memory is short.
    private(set) var isShort = false
    /// When the log tells of that.
    var shortageNotice = ConditionNotice()
    private var touched: [Connection] = []
    private var timer: (any DispatchSourceTimer)?
    private var idleWaiters: [CheckedContinuation<Void, Never>] = []
    private var isWaitingOver = false
    let started = Clock.uptime()
    var commits = Commits()
    /// Hands numbers to the process's metrics library, where there is one.
    var forwarder: MetricsForwarder?
    // Reused by every read; a chunk of this size is one system call and one burst.
    private let readBuffer = ReadBuffer(bytes: ServerLimits.readBytesMax)
    /// Bytes written to buffers in this turn and not counted yet.
    private var uncounted = 0
    /// Whether nobody holds so much that closing connections would make room.
    var isRoomless = false
    /// Lines about connections that were closed to make room.
    var overdraftLines = LogThrottle()

    struct Counters {
        var accepted: Int64 = 0
        var refused: Int64 = 0
        var bytesIn: Int64 = 0
        var bytesOut: Int64 = 0
        var replies: Int64 = 0
    }

    /// Reads of one connection in one turn, so that the others have theirs.
    static let readsPerTurn = 4

    /// How long a connection may linger after its last byte was sent.
    static let lingerMilliseconds: Int64 = 500

    /// A loop without listeners.
    init(
        context: ProtocolContext, engine: EngineLoop, log: Logger,
        forwarder: MetricsForwarder? = nil
    ) {
        self.context = context
        self.engine = engine
        self.log = log
        self.forwarder = forwarder
    }

    /// Begins a turn: everything in it happens now.
    func lookAtClock() {
        let microseconds = Clock.microseconds()
        context.microseconds = microseconds
        context.now = Moment(uptime: microseconds / 1_000, time: Clock.time())
    }

    // MARK: Control

    /// Begins to look at the clock, once a second.
    func start() {
        let timer = DispatchSource.makeTimerSource(queue: executor.queue)
        timer.schedule(deadline: .now() + 1, repeating: 1, leeway: .milliseconds(100))
        timer.setEventHandler { [weak self] in self?.assumeIsolated { $0.tick() } }
        timer.resume()
        self.timer = timer
    }

    /// Tells every client that the server is shutting down; new requests are refused.
    func drain(milliseconds: Int64) {
        lookAtClock()
        context.health.isDraining = true
        for id in connections.keys.sorted() {
            guard let connection = connections[id] else { continue }
            connection.machine.drain(milliseconds: milliseconds, using: &context)
            settle(connection)
        }
    }

    /// Ends every connection once what it has to say was sent.
    func closeGently() {
        lookAtClock()
        for connection in connections.values {
            connection.machine.close(.serverShutdown)
            settle(connection)
        }
    }

    /// Ends every connection now, and the loop with them.
    func closeAtOnce() {
        for connection in connections.values {
            connection.machine.close(.serverShutdown)
            remove(connection)
        }
        timer?.cancel()
        timer = nil
        forwarder?.end()
        forwarder = nil
    }

    /// Returns when no connection is open.
    func waitUntilIdle() async {
        guard !connections.isEmpty, !isWaitingOver else { return }
        await withCheckedContinuation { idleWaiters.append($0) }
    }

    /// Lets ``waitUntilIdle()`` return although connections are open, also when it is called
    /// only later: a deadline may pass before the wait begins.
    func stopWaiting() {
        isWaitingOver = true
        resumeWaiters()
    }

    private func resumeWaiters() {
        for waiter in idleWaiters { waiter.resume() }
        idleWaiters.removeAll()
    }

    // MARK: Readiness

    /// The source has something to be read; it says so again and again while that is so.
    func readReady(_ id: UInt64) {
        guard let connection = connections[id], !connection.isReadPosted else { return }
        read(connection)
    }

    /// Reads on behind what waits on the queue by then. One post at a time: a connection that never
    /// runs dry has one turn, and not one more with every turn.
    private func postRead(_ connection: Connection) {
        guard !connection.isReadPosted else { return }
        connection.isReadPosted = true
        let id = connection.machine.id.value
        post { loop in
            guard let connection = loop.connections[id] else { return }
            connection.isReadPosted = false
            loop.read(connection)
        }
    }

    /// Reads until nothing is left, because Dispatch reports a broken connection once, together
    /// with what came before the break, and never again.
    private func read(_ connection: Connection) {
        lookAtClock()
        guard connection.isReading(context) else { return settle(connection) }
        for _ in 0..<Self.readsPerTurn {
            let most =
                isShort ? ServerLimits.shortReadBytesMax : ServerLimits.readBytesMax
            let buffer = UnsafeMutableRawBufferPointer(rebasing: readBuffer.bytes[..<most])
            switch connection.socket.read(into: buffer) {
            case .bytes(let count): take(count, from: connection)
            case .end:
                if connection.lingersUntil != nil { return remove(connection) }
                connection.machine.receiveEnd()
                return settle(connection)
            case .wouldBlock: return settle(connection)
            case .broken:
                connection.machine.close(.clientGone)
                return remove(connection)
            }
            // Going on reading posts this again.
            guard connection.isReading(context) else { return settle(connection) }
        }
        settle(connection)
        postRead(connection)
    }

    private func take(_ count: Int, from connection: Connection) {
        counters.bytesIn += Int64(count)
        guard connection.lingersUntil == nil else { return }
        var burst: [Request] = []
        connection.machine.receive(
            UnsafeRawBufferPointer(rebasing: readBuffer.bytes[..<count]), into: &burst,
            using: &context)
        submit(burst)
    }

    func writeReady(_ id: UInt64) {
        guard let connection = connections[id] else { return }
        lookAtClock()
        settle(connection)
    }

    private func goOn(_ id: UInt64) {
        guard let connection = connections[id] else { return }
        connection.isResumePosted = false
        lookAtClock()
        settle(connection)
    }

    private func tick() {
        lookAtClock()
        for connection in Array(connections.values) {
            guard connection.lingersUntil == nil else { continue }
            connection.machine.tick(using: &context)
            settle(connection)
        }
        tellForeignLeftOut()
        tellOverdraftLeftOut()
        tellShortage()
        feelPulse()
        // Others may have come or gone, which changes each one's share.
        followBuffers()
    }

    // MARK: From the engine

    /// Carries out what a commit allows to tell: replies first, then records, then closes.
    func perform(_ ready: Ready, of commit: CommitStats?) {
        lookAtClock()
        if let commit { commits.count(commit) }
        var last: Connection?
        for answer in ready.replies {
            if last?.machine.id != answer.connection {
                last = connections[answer.connection.value]
                if let last { touch(last) }
            }
            guard let connection = last else {
                context.forgetRequest()
                continue
            }
            var reply = answer.reply
            if case .statistics(let numbers) = reply { reply = .statistics(numbers + statistics) }
            let before = connection.machine.bufferedBytes
            connection.machine.deliver(reply, to: answer.token, using: &context)
            if countWritten(connection.machine.bufferedBytes - before) { last = nil }
        }
        counters.replies += Int64(ready.replies.count)
        for publication in ready.publications { publish(publication) }
        for close in ready.closes {
            guard let connection = connections[close.connection.value] else { continue }
            connection.machine.close(.slowConsumer)
            touch(connection)
        }
        settleTouched()
    }

    /// Counts what was written to a buffer. However much one commit tells, no more than some of it
    /// is in memory before it is sent, and before those are cut off who don't take it.
    ///
    /// - Returns: Whether connections were sent what they have, so that some may be gone.
    private func countWritten(_ bytes: Int) -> Bool {
        uncounted += max(0, bytes)
        guard uncounted >= ServerLimits.uncountedBytesMax else { return false }
        settleTouched()
        return true
    }

    private func publish(_ publication: Publication) {
        context.prepare(publication.content)
        for recipient in publication.recipients {
            guard let connection = connections[recipient.connection.value] else { continue }
            touch(connection)
            let before = connection.machine.bufferedBytes
            connection.machine.publish(
                to: recipient, weight: publication.weight, using: &context)
            _ = countWritten(connection.machine.bufferedBytes - before)
        }
    }

    private func touch(_ connection: Connection) {
        guard !connection.isTouched else { return }
        connection.isTouched = true
        touched.append(connection)
    }

    private func settleTouched() {
        uncounted = 0
        var connections: [Connection] = []
        swap(&connections, &touched)
        for connection in connections {
            connection.isTouched = false
            settle(connection)
        }
    }

    func submit(_ burst: [Request]) {
        guard !burst.isEmpty else { return }
        engine.post { $0.submit(burst) }
    }

    // MARK: After every change

    /// Sends what can be sent, takes lines that had to wait for that, then brings everything that
    /// follows from the machine's state up to date: reading, the engine's window, the end.
    func settle(_ connection: Connection) {
        guard !connection.isClosed else { return }
        let id = connection.machine.id
        send(connection)
        if connection.machine.canResume(context.limits) {
            var burst: [Request] = []
            connection.machine.resume(into: &burst, using: &context)
            submit(burst)
            send(connection)
            if connection.machine.canResume(context.limits), !connection.isResumePosted {
                connection.isResumePosted = true
                post { $0.goOn(id.value) }
            }
        }
        if let report = connection.machine.takeWindowReport(context) {
            engine.post { $0.delivered(report, to: id) }
        }
        context.buffers.count(
            connection.machine.bufferedBytes, insteadOf: &connection.countedBytes)
        if context.buffers.isShort != isShort { followBuffers() }
        if context.buffers.isOverdrawn { makeRoom() }
        if connection.machine.shouldClose { end(connection) }
        if connection.updateReading(context) { postRead(connection) }
    }

    /// Tells everybody how much a connection may have unsent, now that memory is short, or isn't
    /// any more.
    private func followBuffers() {
        if context.buffers.isShort != isShort {
            isShort.toggle()
            tellShortage()
        }
        guard let bytes = context.followBuffers() else { return }
        engine.post { $0.setConnectionWindow(bytes / 2) }
    }

    private func send(_ connection: Connection) {
        let id = connection.machine.id.value
        let sent = connection.flush(context, queue: executor.queue) { [weak self] in
            self?.assumeIsolated { $0.writeReady(id) }
        }
        counters.bytesOut += Int64(sent)
    }

    private func end(_ connection: Connection) {
        switch connection.machine.closing {
        case .httpRequest, .tlsHello:
            if connection.lingersUntil == nil { tellForeign(connection) }
            linger(connection)
        case .serverShutdown, .unsupportedProto, .lineFlood, .lineTimeout:
            linger(connection)
        case .clientClosed, .clientGone, .heartbeatTimeout, .slowConsumer, .connectionLimit, nil:
            remove(connection)
        }
    }

    private func linger(_ connection: Connection) {
        guard connection.lingersUntil == nil else { return }
        connection.linger(until: context.now.uptime + Self.lingerMilliseconds)
        let id = connection.machine.id.value
        let deadline = DispatchTime.now() + .milliseconds(Int(Self.lingerMilliseconds))
        executor.queue.asyncAfter(deadline: deadline) { [weak self] in
            self?.assumeIsolated { $0.endLingering(id) }
        }
    }

    private func endLingering(_ id: UInt64) {
        if let connection = connections[id] { remove(connection) }
    }

    func remove(_ connection: Connection) {
        let id = connection.machine.id
        guard connections.removeValue(forKey: id.value) != nil else { return }
        connection.close()
        peers.remove(connection.peer)
        context.buffers.connections = connections.count
        context.buffers.count(0, insteadOf: &connection.countedBytes)
        context.forget(connection.machine)
        engine.post { $0.connectionClosed(id) }
        log.debug(
            "connection closed",
            metadata: [
                "connection": "c-\(id.value)",
                "reason": "\(connection.machine.closing?.rawValue ?? "")",
            ])
        if connections.isEmpty { resumeWaiters() }
    }
}

/// The memory that every read goes into; lives as long as the loop.
final class ReadBuffer {
    let bytes: UnsafeMutableRawBufferPointer

    init(bytes count: Int) {
        bytes = .allocate(byteCount: count, alignment: 16)
    }

    deinit { bytes.deallocate() }
}

extension SocketLoop: ReadyReceiver {
    nonisolated func receive(_ ready: Ready, of commit: CommitStats?) {
        post { $0.perform(ready, of: commit) }
    }

    nonisolated func receive(_ told: @escaping @Sendable () -> Void) { post { _ in told() } }

    nonisolated func receive(_ pulse: EnginePulse) { post { $0.note(pulse) } }
}
