import GroveAccess
public import GroveEngine
public import GroveProtocol
import GroveWire
import Synchronization

/// A complete server without sockets, queues and clocks: connections, engine and a store. The
/// caller drives it, one call at a time. It makes the calls of a server's two queues in the same
/// order, so its output depends only on its input.
public final class InMemoryServer {
    /// The engine's store.
    public let store: any Store

    /// The data that connections share. ``ProtocolContext/now`` is the clock, and only the caller
    /// moves it.
    public var context: ProtocolContext

    /// The open connections in the order in which they were opened.
    public private(set) var open: [ConnectionID] = []

    /// The dispatched attempts without a report, in order.
    public private(set) var dispatched: [EffectDispatch] = []

    /// Reads definitions of machines as data; without it they are refused as too many at once.
    public var compiler: DefinitionCompiler?

    /// Replaces a request before the engine receives it. Planted bugs use this.
    public var tamper: ((Request) -> [Request])?

    /// The server's side of one connection.
    public final class Peer {
        public fileprivate(set) var machine: ConnectionMachine

        fileprivate init(_ machine: consuming ConnectionMachine) { self.machine = machine }
    }

    private var peers: [ConnectionID: Peer] = [:]
    private var engine: Engine
    private var lastConnection: UInt64 = 0

    /// Creates a freshly started server on the store's content.
    public init(
        catalogue: Catalogue, store: any Store, limits: ServerLimits = ServerLimits(),
        options: EngineOptions = EngineOptions(), node: String = "test", now: Moment
    ) {
        self.store = store
        context = ProtocolContext(
            catalogue: catalogue, log: store.logID, node: node, limits: limits, now: now)
        var options = options
        options.connectionWindow = max(1, limits.pendingBytesMax / 2)
        engine = Engine(catalogue: catalogue, store: store, options: options)
        context.change(engine.access.accounts)
        context.makeToken = Self.tokens()
    }

    /// Makes the same tokens in each run.
    package static func tokens() -> @Sendable () -> BearerToken {
        let count = Atomic<UInt8>(0)
        return {
            let number = count.add(1, ordering: .relaxed).newValue
            let token = withUnsafeTemporaryAllocation(byteCount: 96, alignment: 1) {
                bytes -> BearerToken? in
                for place in bytes.indices {
                    bytes[place] = (UInt8(place) &* 7 &+ number &* 31) % 248
                }
                return BearerToken(random: UnsafeRawBufferPointer(bytes))
            }
            guard let token else { preconditionFailure("all bytes count") }
            return token
        }
    }

    // MARK: Connections

    /// Accepts a connection and greets it.
    public func connect() -> ConnectionID { connect(as: .unknown) }

    /// Accepts a connection of whose client the transport says this.
    package func connect(as origin: ClientOrigin) -> ConnectionID {
        lastConnection += 1
        let id = ConnectionID(lastConnection)
        var machine = ConnectionMachine(id: id, context: context)
        machine.identify(origin, using: &context)
        machine.greet(using: &context)
        peers[id] = Peer(machine)
        open.append(id)
        return id
    }

    /// Makes the client of a connection one that is known by its transport only.
    package func identifyAnew(_ id: ConnectionID) {
        peers[id]?.machine.identifyAnew(using: &context)
    }

    /// Makes a connection one of requests over HTTP.
    package func beginRequests(_ id: ConnectionID) {
        peers[id]?.machine.beginRequests(using: &context)
    }

    /// Lets it hear from the server once in a while, in one of two ways.
    package func beat(
        _ id: ConnectionID, _ heartbeat: ConnectionMachine.Heartbeat, milliseconds: Int64? = nil
    ) {
        peers[id]?.machine.change(heartbeat, milliseconds: milliseconds)
    }

    /// Makes such a connection one of messages.
    package func beginLines(_ id: ConnectionID) {
        peers[id]?.machine.beginLines(using: &context)
    }

    /// The server's protocol state of a connection, while it is open.
    public subscript(id: ConnectionID) -> Peer? { peers[id] }

    /// Whether the server would read from this connection now.
    public func wantsInput(_ id: ConnectionID) -> Bool {
        peers[id]?.machine.wantsInput(context.limits) ?? false
    }

    /// Passes the bytes of one read to a connection. Requests are received, not committed.
    public func receive(_ bytes: some Collection<UInt8>, from id: ConnectionID) throws(StoreError) {
        var burst: [Request] = []
        Array(bytes).withUnsafeBytes {
            peers[id]?.machine.receive($0, into: &burst, using: &context)
        }
        try take(burst)
        for request in peers[id]?.machine.takeServerRequests() ?? [] {
            let why = "not reloaded: the configuration is compiled in"
            peers[id]?.machine.deliver(
                .failure(.badRequest(path: "$.op", message: why)), to: request.token,
                using: &context)
        }
        for (token, day) in context.takeUsedTokens() { engine.tokenUsed(token, onDay: day) }
        // The lines of a long read are processed in several turns.
        while peers[id]?.machine.canResume(context.limits) == true { try resume(id) }
    }

    /// Reports that the client has shut down its side.
    public func receiveEnd(from id: ConnectionID) { peers[id]?.machine.receiveEnd() }

    /// Returns up to `count` of the bytes that wait for a client.
    public func read(_ id: ConnectionID, atMost count: Int = .max) throws(StoreError) -> [UInt8] {
        guard let peer = peers[id] else { return [] }
        var bytes: [UInt8] = []
        peer.machine.outbound.send { waiting in
            bytes = Array(waiting.prefix(count))
            return bytes.count
        }
        if !bytes.isEmpty { peer.machine.recordProgress(using: &context) }
        if let report = peer.machine.makeWindowReport(context) {
            engine.drained(id, through: report.records)
        }
        try resume(id)
        return bytes
    }

    /// Processes lines that had to wait.
    public func resume(_ id: ConnectionID) throws(StoreError) {
        var burst: [Request] = []
        peers[id]?.machine.resume(into: &burst, using: &context)
        try take(burst)
    }

    /// Removes a connection, as a server does after its socket is closed.
    public func remove(_ id: ConnectionID) {
        if let peer = peers.removeValue(forKey: id) { context.remove(peer.machine) }
        open.removeAll { $0 == id }
        engine.connectionClosed(id)
    }

    // MARK: Engine

    private func take(_ burst: [Request]) throws(StoreError) {
        for request in tamper.map({ burst.flatMap($0) }) ?? burst {
            if engine.mustFlush(before: request) { try flush() }
            try engine.receive(compiled(request), at: context.now.time, store: store)
        }
    }

    /// A request whose definition is read, as a server does before the engine gets it.
    private func compiled(_ request: Request) -> Request {
        guard let compiler, case .define(var define) = request.operation else { return request }
        define.compiled = compiler(define.text)
        return Request(
            connection: request.connection, token: request.token, operation: .define(define),
            caller: request.caller)
    }

    /// Commits the received requests and sends the outputs that waited for the commit.
    ///
    /// - Parameter limit: The number of due effects in the commit.
    public func flush(settling limit: Int = Limits.effectsPerBatchMax) throws(StoreError) {
        perform(try engine.flush(to: store, at: context.now.time, settling: limit))
        context.withhold(engine.trapped, setAside: engine.setAside.count)
    }

    /// Sets an instance aside, as a server does at its start after traps.
    public func setAside(_ name: InstanceName, reason: String) throws(StoreError) {
        engine.setAside(
            .instance(name), reason: reason, definitionVersion: "1", at: context.now.time,
            store: store)
        try flush()
    }

    /// The time of the next due effect. Call ``enqueueDue()`` then.
    public var nextDue: Timestamp? { engine.nextDue }

    /// Enqueues the effects that are due now, without a commit.
    public func enqueueDue() throws(StoreError) {
        try engine.enqueueDue(at: context.now.time, store: store)
    }

    /// Passes a handler's report to the engine, without a commit. The last report of an attempt
    /// removes it from ``dispatched``.
    public func report(_ outcome: EffectReport.Outcome, of issue: EffectDispatch) throws(StoreError)
    {
        var isLast = true
        if case .emitted = outcome { isLast = false }
        if isLast { dispatched.removeAll { $0.ref == issue.ref && $0.attempt == issue.attempt } }
        try engine.receive([EffectReport(issue, outcome)], at: context.now.time, store: store)
    }

    /// Whether a call of ``work()`` would do something.
    public var hasBackgroundWork: Bool { engine.hasBackgroundWork }

    /// Runs one turn of the subscriptions' work.
    public func work() throws(StoreError) {
        perform(try engine.work(at: context.now.time, store: store))
    }

    /// Runs one turn of the backup that a client has requested, if it isn't complete.
    public func copySome() { engine.backup.turn() }

    /// Removes old steps from the journal, one turn. Returns whether more remain.
    public func truncate(to bounds: JournalBounds) throws(StoreError) -> Bool {
        try engine.truncate(to: bounds, at: context.now.time, store: store)
    }

    /// Removes old steps of machines, one turn. Returns whether more remain.
    public func truncateMachines(to bounds: [String: JournalBounds]) throws(StoreError) -> Bool {
        try engine.truncateMachines(to: bounds, at: context.now.time, store: store)
    }

    /// Deletes instances that were done before a given time, one turn, without a commit. Returns
    /// the place of the next one.
    public func retire(
        doneBefore time: Timestamp, after number: InstanceNumber
    ) throws(StoreError) -> InstanceNumber? {
        try engine.expire(
            doneBefore: time, after: number, at: context.now.time, store: store
        ).next
    }

    /// Runs the work that a server does once per second.
    public func tick() throws(StoreError) {
        engine.backup.expire(at: context.now.time)
        for id in open { peers[id]?.machine.tick(using: &context) }
        if engine.hasSubscriptions { try work() }
    }

    /// Announces the shutdown to every client.
    public func drain(milliseconds: Int64) {
        context.health.isDraining = true
        for id in open { peers[id]?.machine.drain(milliseconds: milliseconds, using: &context) }
    }

    /// Commits the received requests, sends subscriptions their cursors and ends every connection.
    public func finish() throws(StoreError) {
        try flush()
        perform(engine.lastCheckpoints(at: context.now.time))
        for id in open { peers[id]?.machine.close(.serverShutdown) }
    }

    private func perform(_ ready: Ready) {
        if let catalogue = ready.catalogue { context.change(catalogue) }
        dispatched += ready.dispatches
        for (answer, wasApplied) in ready.answers { answer(wasApplied) }
        guard let accounts = ready.accounts else {
            deliver(ready.replies)
            return finish(ready)
        }
        // As a server does: what was earned before, then the change, then what tells of it.
        func tells(_ reply: Ready.ReplyTo) -> Bool {
            if case .accounts = reply.reply { true } else { false }
        }
        deliver(ready.replies.filter { !tells($0) })
        context.change(accounts)
        let telling = ready.replies.filter(tells)
        let told = Set(telling.map(\.connection))
        for id in open where !told.contains(id) { accountsChanged(id) }
        deliver(telling)
        for id in open where told.contains(id) { accountsChanged(id, keepsUnsent: true) }
        finish(ready)
    }

    private func accountsChanged(_ id: ConnectionID, keepsUnsent: Bool = false) {
        peers[id]?.machine.accountsChanged(keepsUnsent: keepsUnsent, using: &context)
    }

    private func deliver(_ replies: [Ready.ReplyTo]) {
        for answer in replies {
            if peers[answer.connection] == nil { context.countLostReply() }
            peers[answer.connection]?.machine.deliver(
                answer.reply, to: answer.token, using: &context)
        }
    }

    private func finish(_ ready: Ready) {
        for publication in ready.publications {
            context.prepare(publication.content)
            for recipient in publication.recipients {
                peers[recipient.connection]?.machine.publish(
                    to: recipient, weight: publication.weight, using: &context)
            }
        }
        for close in ready.closes { peers[close.connection]?.machine.close(.slowConsumer) }
    }
}
