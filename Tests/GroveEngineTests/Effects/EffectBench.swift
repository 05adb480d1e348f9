import GroveAccess
import GroveEngine
import GroveTestSupport
import GroveWire
import OrderedJSON
import Synchronization
import Transducers

/// An engine with effects, driven by hand: the test is the clock and all handlers. Everything is
/// committed at once, and dispatched attempts wait for the test to report their results.
final class EffectBench {
    let store: any Store
    private(set) var engine: Engine
    private let catalogue: Catalogue
    var now = Timestamp(milliseconds: 1_000_000)
    /// Dispatched attempts without a last report.
    private(set) var dispatched: [EffectDispatch] = []
    /// Attempts that the engine has cancelled.
    private(set) var cancelled: [EffectRef] = []
    /// Every `effect` record since the last query, without its numbers.
    private(set) var notes: [String] = []
    /// Every output since the last query, with its instance.
    private var outputs: [String] = []
    private var token: UInt32 = 0

    static let definitions = [Definition(Lab.self, named: "lab", version: "1")]

    static func options(handlers: [String], concurrency: Int = 64) -> EngineOptions {
        var options = EngineOptions()
        for handler in handlers {
            options.handlers[handler] = HandlerTraits(concurrencyMax: concurrency)
        }
        return options
    }

    private(set) var options: EngineOptions
    private var restarts: UInt64 = 0

    init(
        _ definitions: [Definition] = EffectBench.definitions, store: any Store = MemoryStore(),
        handlers: [String] = ["work", "undo"],
        concurrency: Int = EffectHandler.concurrencyDefault, closures: Int = Limits.closuresMax
    ) throws {
        self.store = store
        options = Self.options(handlers: handlers, concurrency: concurrency)
        options.closuresMax = closures
        catalogue = try Catalogue(definitions)
        engine = Engine(catalogue: catalogue, store: store, options: options)
        try subscribe()
        try flush()
    }

    /// Another process over the same store: running handlers are gone.
    func restart() throws {
        try restart { _ in }
    }

    /// Another process with other options.
    func restart(_ change: (inout EngineOptions) -> Void) throws {
        change(&options)
        restarts += 1
        options.random = SeededGenerator(seed: restarts)
        engine = Engine(catalogue: catalogue, store: store, options: options)
        dispatched = []
        cancelled = []
        try subscribe()
        try flush()
    }

    /// Does what a start does for an instance whose steps have ended the process.
    func setAside(_ subject: HoldSubject, version: String) throws {
        engine.setAside(
            subject, reason: "a trap", definitionVersion: version, at: now, store: store)
        try flush()
    }

    /// Does what it does if the disk had no room for that.
    func setAsideForNow(_ subject: HoldSubject) {
        engine.setAsideForNow(subject, reason: "a trap", definitionVersion: "1", at: now)
    }

    /// Releases holds of earlier versions, as a start does.
    func releaseOutdated() throws -> [HoldSubject] {
        let names = engine.releaseOutdated(at: now, store: store)
        try flush()
        return names
    }

    private func subscribe() throws {
        var selection = Selection()
        selection.kinds = [.effect, .output]
        let request = Subscribe(
            name: SubscriptionName(Array("s".utf8)), selection: selection)
        _ = try ask(.subscribe(request))
        _ = try engine.work(at: now, store: store)
    }

    // MARK: Requests

    @discardableResult
    func ask(_ operation: Operation) throws -> Reply {
        let token = try begin(operation)
        guard let reply = answers.removeValue(forKey: token) else { throw Problem("no reply") }
        return reply
    }

    /// Applies requests that share one commit.
    func askTogether(_ operations: [Operation]) throws -> [Reply] {
        let first = token + 1
        for operation in operations {
            token += 1
            let request = Request(
                connection: ConnectionID(1), token: token, operation: operation)
            try engine.receive(request, at: now, store: store)
        }
        try flush()
        return (first...token).compactMap { answers.removeValue(forKey: $0) }
    }

    /// Applies a request whose reply may come later.
    func begin(
        _ operation: Operation, from connection: ConnectionID = ConnectionID(1)
    ) throws -> UInt32 {
        token += 1
        let request = Request(
            connection: connection, token: token, operation: operation, caller: Caller(),
            trace: trace)
        try engine.receive(request, at: now, store: store)
        try flush()
        return token
    }

    /// The trace of the requests that aren't asked together.
    var trace: TraceParent?

    /// Replies that no test has read, by the requests' tokens.
    private(set) var answers: [UInt32: Reply] = [:]

    func close(_ connection: ConnectionID) { engine.connectionClosed(connection) }

    /// Sends an event to a machine of the laboratory.
    @discardableResult
    func send(_ event: Lab.Event, to instance: String = "lab/a") throws -> Reply {
        try ask(.send(makeSend(event, to: instance)))
    }

    /// Sends an event, as JSON, to a machine of the test's choice.
    @discardableResult
    func send(_ event: JSONValue, to instance: String) throws -> Reply {
        try ask(.send(makeSend(encoding: event, to: instance)))
    }

    func makeSend(
        _ event: Lab.Event, to instance: String, dedup: String? = nil,
        settle: Send.Settle = .none, timeout: Int64 = 60_000
    ) throws -> Send {
        try makeSend(
            encoding: event, to: instance, dedup: dedup, settle: settle, timeout: timeout)
    }

    func makeSend(
        encoding event: some Encodable, to instance: String, dedup: String? = nil,
        settle: Send.Settle = .none, timeout: Int64 = 60_000
    ) throws -> Send {
        var writer = JSONWriter()
        try JSONCoding.encode(event, into: &writer)
        let document = try JSONDocument(parsing: writer.bytes)
        guard let name = InstanceName(instance), let definition = catalogue[name.machine] else {
            throw Problem("\(instance) is no name")
        }
        let decoded = try definition.machine.decodeEvent(document, at: document.root)
        return Send(
            to: name, event: .decoded(decoded), eventText: writer.bytes,
            dedup: dedup.map { Array($0.utf8) }, settle: settle, timeout: timeout)
    }

    @discardableResult
    func plan(_ plans: Lab.Plan..., at instance: String = "lab/a") throws -> Reply {
        try send(.plan(plans.count == 1 ? plans[0] : .all(plans)), to: instance)
    }

    // MARK: Time and handlers

    private func flush(settling limit: Int = Limits.effectsPerBatchMax) throws {
        let actions = try engine.flush(to: store, at: now, settling: limit)
        dispatched += actions.dispatches
        cancelled += actions.cancellations
        for (answer, wasApplied) in actions.answers { answer(wasApplied) }
        let settled = actions.replies.map(\.token)
        guard Set(settled).count == settled.count else {
            throw Problem("two answers to one request")
        }
        for publication in actions.publications {
            switch publication.content {
            case .record(let step, .effect(let number), _):
                notes.append(try Self.summary(step.record.effects[number]))
            case .record(let step, .output(let number), _):
                let name = step.record.name.map { "\($0)" } ?? "?"
                outputs.append("\(name) \(step.record.outputs[number].data.text)")
            default: break
            }
        }
        for answer in actions.replies { answers[answer.token] = answer.reply }
    }

    private static func summary(_ note: [UInt8]) throws -> String {
        guard case .object(let note) = try JSONValue(parsing: note) else { return "?" }
        let words = ["type", "id", "reason"].compactMap { note[$0]?.string }
        return words.joined(separator: " ")
    }

    func takeNotes() -> [String] {
        defer { notes = [] }
        return notes
    }

    /// Removes and returns the outputs of one instance; drops those of others.
    /// dropped.
    func takeOutputs(of instance: String) -> [String] {
        defer { outputs = [] }
        let beginning = "\(instance) "
        return outputs.filter { $0.hasPrefix(beginning) }
            .map { String($0.dropFirst(beginning.count)) }
    }

    /// Advances the time; everything that is due happens at its time.
    func advance(by milliseconds: Int64) throws {
        let end = Timestamp(milliseconds: now.milliseconds + milliseconds)
        var turns = 0
        while let due = engine.nextDue, due <= end {
            now = max(now, due)
            try engine.enqueueDue(at: now, store: store)
            try flush()
            turns += 1
            guard turns < 100_000 else { throw Problem("what is due never ends") }
        }
        now = end
    }

    /// Works through pages that take more than one turn.
    func work(turns: Int = .max) throws {
        var rest = turns
        while engine.hasBackgroundWork, rest > 0 {
            rest -= 1
            let actions = try engine.work(at: now, store: store)
            for answer in actions.replies { answers[answer.token] = answer.reply }
        }
    }

    /// Applies a part of what is due, as a server does that checks the time in between; returns
    /// the number of committed effects, and whether more are due.
    func wake(looking limit: Int, upTo count: Int) throws -> (done: Int, hasMore: Bool) {
        try engine.enqueueDue(at: now, limit: limit, store: store)
        let turn = engine.applyDue(upTo: count, at: now, store: store)
        try flush(settling: 0)
        return turn
    }

    /// Applies requests of one burst; returns the number that one batch accepts.
    func burst(_ sends: [Send]) throws -> Int {
        let requests = sends.map { send in
            token += 1
            return Request(connection: ConnectionID(1), token: token, operation: .send(send))
        }
        var place = 0
        try engine.receive(requests[...], from: &place, at: now, store: store)
        try flush()
        return place
    }

    /// Removes old steps; returns whether there are more.
    func truncate(to bounds: JournalBounds) throws -> Bool {
        try engine.truncate(to: bounds, at: now, store: store)
    }

    /// Works, and returns the publications.
    func published() throws -> [String] {
        var published: [String] = []
        while engine.hasBackgroundWork {
            published += try engine.work(at: now, store: store).publications.map(\.summary)
        }
        return published
    }

    /// Applies what is due now, in one batch.
    func wake() throws {
        try engine.enqueueDue(at: now, store: store)
        try flush()
    }

    /// Applies what is due now, in as many batches as needed.
    func settle() throws { try advance(by: 0) }

    /// The running attempts, by their arguments.
    var atWork: [String] {
        dispatched.map { "\($0.handler) \($0.argument.string ?? "?") \($0.attempt)" }
    }

    func takeDispatched() throws -> EffectDispatch {
        guard !dispatched.isEmpty else { throw Problem("no handler is at work") }
        return dispatched.removeFirst()
    }

    /// The oldest running attempt reports.
    func report(_ outcome: EffectReport.Outcome, pause: Int64 = 0) throws {
        try report(outcome, of: takeDispatched(), pause: pause)
    }

    /// A handler reports.
    @discardableResult
    func report(
        _ outcome: EffectReport.Outcome, of issue: EffectDispatch, pause: Int64 = 0
    ) throws -> Bool? {
        let verdict = Verdict()
        var report = EffectReport(issue, outcome) { applied in
            verdict.value.withLock { $0 = applied }
        }
        report.pause = pause
        try engine.receive([report], at: now, store: store)
        try flush()
        try settle()
        return verdict.value.withLock { $0 }
    }

    /// All running attempts complete, in lists of at most `most` reports, each with one commit.
    func completeAll(_ value: JSONValue, inListsOf most: Int) throws {
        let reports = dispatched.map { EffectReport($0, .completed(value)) }
        dispatched = []
        for start in stride(from: 0, to: reports.count, by: most) {
            let list = Array(reports[start..<min(start + most, reports.count)])
            try engine.receive(list, at: now, store: store)
            try flush()
        }
    }

    /// All running attempts fail for good, in one commit.
    func failAll() throws {
        let reports = dispatched.map {
            EffectReport($0, .failed(reason: "no", isPermanent: true))
        }
        dispatched = []
        try engine.receive(reports, at: now, store: store)
        try flush()
    }

    /// All cancelled attempts end.
    func stopCancelled() throws {
        for ref in cancelled {
            guard let place = dispatched.firstIndex(where: { $0.ref == ref }) else { continue }
            let issue = dispatched.remove(at: place)
            try report(.cancelled, of: issue)
        }
        cancelled = []
    }

    // MARK: Looking

    /// The number of commits that failed for a full disk.
    func fullDisks() throws -> Int64 {
        guard case .statistics(let statistics) = try ask(.stats) else {
            throw Problem("no statistics")
        }
        return statistics.first { $0.name == "engine_full_disks" }?.value ?? -1
    }

    func got(_ instance: String) throws -> Reply.Got {
        guard let name = InstanceName(instance),
            case .got(let got) = try ask(.get(Get(to: name, at: nil)))
        else { throw Problem("\(instance) isn't there") }
        return got
    }

    func state(of instance: String = "lab/a") throws -> Lab.State {
        let document = try JSONDocument(parsing: got(instance).state)
        return try JSONCoding.decode(Lab.State.self, from: document, at: document.root)
    }

    func log(of instance: String = "lab/a") throws -> [String] { try state(of: instance).log }

    func exists(_ instance: String) throws -> Bool {
        guard let name = InstanceName(instance) else { return false }
        return try store.instance(named: name) != nil
    }

    /// The stored rows of an instance: phase and name of each.
    func rows(of instance: String = "lab/a") throws -> [String] {
        guard let name = InstanceName(instance), let stored = try store.instance(named: name)
        else { return [] }
        return try store.effects(of: stored.number).map { row in
            "\(row.body.phase.rawValue) \(row.body.run?.key.text ?? "-")"
        }
    }
}

/// The engine's reaction to a report.
private final class Verdict: Sendable {
    let value = Mutex<Bool?>(nil)
}
