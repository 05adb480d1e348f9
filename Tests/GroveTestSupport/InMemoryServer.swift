public import GroveEngine
public import GroveProtocol
import GroveWire

/// A server without sockets, queues and clocks: connections, engine and a store, driven
/// by one call at a time. Makes the calls that a server's two queues make, in their
/// order, so its output depends only on its input.
public final class InMemoryServer {
    /// The engine's store.
    public let store: any Store

    /// What connections share; ``ProtocolContext/now`` is the clock, and only the caller moves it.
    public var context: ProtocolContext

    /// The open connections in the order they were opened.
    public private(set) var open: [ConnectionID] = []

    /// The dispatched attempts without a report, in order.
    public private(set) var dispatched: [EffectDispatch] = []

    /// Replaces a request before the engine gets it; planted bugs are here.
    public var tamper: ((Request) -> [Request])?

    private var machines: [ConnectionID: ConnectionMachine] = [:]
    private var engine: Engine
    private var lastConnection: UInt64 = 0

    /// A server that has just started over the content of the store.
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
    }

    // MARK: Connections

    /// Accepts a connection and greets it.
    public func connect() -> ConnectionID {
        lastConnection += 1
        let id = ConnectionID(lastConnection)
        var machine = ConnectionMachine(id: id, context: context)
        machine.greet(using: &context)
        machines[id] = machine
        open.append(id)
        return id
    }

    /// The connection's side of the protocol, while it is open.
    public subscript(id: ConnectionID) -> ConnectionMachine? { machines[id] }

    /// Whether the server would read from this connection now.
    public func wantsInput(_ id: ConnectionID) -> Bool {
        machines[id]?.wantsInput(context.limits) ?? false
    }

    /// Delivers the bytes of one read to a connection; its requests are applied, not committed.
    public func receive(_ bytes: some Collection<UInt8>, from id: ConnectionID) throws(StoreError) {
        var burst: [Request] = []
        Array(bytes).withUnsafeBytes {
            machines[id]?.receive($0, into: &burst, using: &context)
        }
        try take(burst)
        // Lines of a long read are received in several turns.
        while machines[id]?.canResume(context.limits) == true { try resume(id) }
    }

    /// The client has shut down its side.
    public func receiveEnd(from id: ConnectionID) { machines[id]?.receiveEnd() }

    /// Sends up to `count` of a client's unsent bytes.
    public func read(_ id: ConnectionID, atMost count: Int = .max) throws(StoreError) -> [UInt8] {
        guard var machine = machines.removeValue(forKey: id) else { return [] }
        var bytes: [UInt8] = []
        machine.outbound.send { waiting in
            bytes = Array(waiting.prefix(count))
            return bytes.count
        }
        if !bytes.isEmpty { machine.recordProgress(using: context) }
        if let report = machine.makeWindowReport(context) {
            engine.drained(id, through: report.records)
        }
        machines[id] = machine
        try resume(id)
        return bytes
    }

    /// Continues with lines that had to wait.
    public func resume(_ id: ConnectionID) throws(StoreError) {
        var burst: [Request] = []
        machines[id]?.resume(into: &burst, using: &context)
        try take(burst)
    }

    /// Removes a connection, as a server does after its socket was closed.
    public func remove(_ id: ConnectionID) {
        if let machine = machines.removeValue(forKey: id) { context.remove(machine) }
        open.removeAll { $0 == id }
        engine.connectionClosed(id)
    }

    // MARK: Engine

    private func take(_ burst: [Request]) throws(StoreError) {
        for request in tamper.map({ burst.flatMap($0) }) ?? burst {
            if engine.mustFlush(before: request) { try flush() }
            try engine.receive(request, at: context.now.time, store: store)
        }
    }

    /// Commits the batch and releases its results.
    public func flush() throws(StoreError) {
        perform(try engine.flush(to: store, at: context.now.time))
        context.withhold(engine.trapped, setAside: engine.setAside.count)
    }

    /// Sets an instance aside, as a start does after traps.
    public func setAside(_ name: InstanceName, reason: String) throws(StoreError) {
        engine.setAside(
            .instance(name), reason: reason, definitionVersion: "1", at: context.now.time,
            store: store)
        try flush()
    }

    /// The time of the next due work; call ``enqueueDue()`` then.
    public var nextDue: Timestamp? { engine.nextDue }

    /// Applies what is due now, without committing it.
    public func enqueueDue() throws(StoreError) {
        try engine.enqueueDue(at: context.now.time, store: store)
    }

    /// A handler reports, without a commit; the last report of an attempt removes it from
    /// ``issued``.
    public func report(_ outcome: EffectReport.Outcome, of issue: EffectDispatch) throws(StoreError)
    {
        var isLast = true
        if case .emitted = outcome { isLast = false }
        if isLast { dispatched.removeAll { $0.ref == issue.ref && $0.attempt == issue.attempt } }
        try engine.receive([EffectReport(issue, outcome)], at: context.now.time, store: store)
    }

    /// Whether a call of ``work()`` would do something.
    public var hasBackgroundWork: Bool { engine.hasBackgroundWork }

    /// One turn of that work.
    public func work() throws(StoreError) {
        perform(try engine.work(at: context.now.time, store: store))
    }

    /// One turn of the backup that a client has requested, if it isn't complete.
    public func copySome() { engine.backup.turn() }

    /// One turn of truncating the journal; returns whether there is more to remove.
    public func truncate(to bounds: JournalBounds) throws(StoreError) -> Bool {
        try engine.truncate(to: bounds, at: context.now.time, store: store)
    }

    /// One turn of truncating machines; returns whether there is more to remove.
    public func truncateMachines(to bounds: [String: JournalBounds]) throws(StoreError) -> Bool {
        try engine.truncateMachines(to: bounds, at: context.now.time, store: store)
    }

    /// One turn of deleting instances that have been done since before a time, without
    /// committing it; returns the place of the next one.
    public func retire(
        doneBefore time: Timestamp, after number: InstanceNumber
    ) throws(StoreError) -> InstanceNumber? {
        try engine.expire(
            doneBefore: time, after: number, at: context.now.time, store: store
        ).next
    }

    /// The work once per second.
    public func tick() throws(StoreError) {
        engine.backup.expire(at: context.now.time)
        for id in open { machines[id]?.tick(using: &context) }
        if engine.hasSubscriptions { try work() }
    }

    /// Announces the shutdown to every client.
    public func drain(milliseconds: Int64) {
        context.health.isDraining = true
        for id in open { machines[id]?.drain(milliseconds: milliseconds, using: &context) }
    }

    /// Commits the batch, sends subscriptions their cursors and ends every connection.
    public func finish() throws(StoreError) {
        try flush()
        perform(engine.lastCheckpoints(at: context.now.time))
        for id in open { machines[id]?.close(.serverShutdown) }
    }

    private func perform(_ ready: Ready) {
        dispatched += ready.dispatches
        for (answer, wasApplied) in ready.answers { answer(wasApplied) }
        for answer in ready.replies {
            if machines[answer.connection] == nil { context.countLostReply() }
            machines[answer.connection]?.deliver(
                answer.reply, to: answer.token, using: &context)
        }
        for publication in ready.publications {
            context.prepare(publication.content)
            for recipient in publication.recipients {
                machines[recipient.connection]?.publish(
                    to: recipient, weight: publication.weight, using: &context)
            }
        }
        for close in ready.closes { machines[close.connection]?.close(.slowConsumer) }
    }
}
