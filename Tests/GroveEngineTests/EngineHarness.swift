import BuiltInMachines
import GroveEngine
import GroveTestSupport
import GroveWire
import OrderedJSON
import Transducers

/// An engine over a store in memory, driven by hand: one call after the other, as a server's queues
/// make them.
final class EngineHarness {
    let store: any Store
    var engine: Engine
    var now = Timestamp(milliseconds: 1_000)
    private let catalogue: Catalogue
    private var token: UInt32 = 0

    static let connection = ConnectionID(1)

    init(
        _ more: [Definition] = [], options: EngineOptions = EngineOptions(),
        store: any Store = RedoCheckingStore(MemoryStore())
    ) throws {
        self.store = store
        catalogue = try Catalogue(BuiltInMachines.definitions + more)
        engine = Engine(catalogue: catalogue, store: store, options: options)
    }

    /// Applies one request without committing.
    func receive(_ operation: Operation, from connection: ConnectionID = connection) throws {
        token += 1
        try engine.receive(
            Request(connection: connection, token: token, operation: operation), at: now,
            store: store)
    }

    /// Commits the batch.
    func flush() throws -> Ready { try engine.flush(to: store, at: now) }

    /// Applies one request, commits it and returns the reply.
    func ask(_ operation: Operation, from connection: ConnectionID = connection) throws -> Reply {
        try receive(operation, from: connection)
        let actions = try flush()
        published += actions.publications
        if let reply = actions.replies.last { return reply.reply }
        // A page that takes more than one turn.
        while engine.hasBackgroundWork {
            let actions = try engine.work(at: now, store: store)
            published += actions.publications
            if let reply = actions.replies.last { return reply.reply }
        }
        throw Problem("no reply")
    }

    /// The publications since the last query.
    var published: [Publication] = []

    /// Runs the engine's work until there is none.
    func settle() throws {
        var turns = 0
        while engine.hasBackgroundWork {
            let actions = try engine.work(at: now, store: store)
            published += actions.publications
            turns += 1
            guard turns < 10_000 else { throw Problem("the engine never comes to rest") }
        }
    }

    /// Removes and returns the publications since then.
    func takePublished() -> [String] {
        defer { published = [] }
        return published.map(\.summary)
    }

    func makeSend(
        _ to: String, _ event: String, dedup: String? = nil, expect: Send.Expectation? = nil,
        create: Send.CreateMode = .ifAbsent, reply: Send.ReplyDetail = .minimal
    ) throws -> Operation {
        let document = try JSONDocument(parsing: Array(event.utf8))
        let name = try instance(to)
        var input = EventInput.unknownMachine
        if let definition = catalogue[name.machine] {
            do throws(EventError) {
                let event = try definition.machine.decodeEvent(document, at: document.root)
                input =
                    definition.internalName(of: event).map { .internalOnly(event, name: $0) }
                    ?? .decoded(event)
            } catch {
                input = .undecodable(error)
            }
        }
        return .send(
            Send(
                to: name, event: input, eventText: Array(event.utf8),
                dedup: dedup.map { Array($0.utf8) }, expect: expect, create: create,
                reply: reply))
    }

    /// Sends, commits, and returns the reply as a line for comparing.
    func send(
        _ to: String, _ event: String, dedup: String? = nil, expect: Send.Expectation? = nil,
        create: Send.CreateMode = .ifAbsent, reply: Send.ReplyDetail = .minimal
    ) throws -> String {
        try ask(
            makeSend(to, event, dedup: dedup, expect: expect, create: create, reply: reply)
        ).summary
    }

    func get(_ to: String, at version: Int64? = nil) throws -> String {
        try ask(.get(Get(to: instance(to), at: version))).summary
    }

    func instance(_ name: String) throws -> InstanceName {
        guard let name = InstanceName(name) else { throw Problem("\(name) is no name") }
        return name
    }

    func subscribe(
        _ name: String, kinds: Selection.Kinds = .standard, machine: String? = nil,
        instance: String? = nil, type: String? = nil, from: Subscribe.Start = .now,
        snapshot: Bool = false, credit: Int64? = nil, slow: Subscribe.SlowPolicy = .pause,
        connection: ConnectionID = connection
    ) throws -> String {
        var selection = Selection()
        selection.kinds = kinds
        selection.machine = machine.map(Glob.init)
        selection.instance = instance.map(Glob.init)
        selection.type = type.map(Glob.init)
        var request = Subscribe(
            name: SubscriptionName(Array(name.utf8)), selection: selection)
        request.start = from
        request.snapshot = snapshot
        request.credit = credit
        request.slow = slow
        return try ask(.subscribe(request), from: connection).summary
    }
}

struct Problem: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}

extension [UInt8] {
    var text: String { String(decoding: self, as: UTF8.self) }
}

extension Reply {
    /// The reply in one line, for comparing.
    var summary: String {
        switch self {
        case .sent(let sent):
            let detail = sent.detail.map { detail in
                let outputs = detail.outputs.map {
                    " outputs=[\($0.map(\.data.text).joined(separator: ","))]"
                }
                return " state=\(detail.state.text)\(outputs ?? "")"
            }
            return "v\(sent.version)\(sent.changed ? " changed" : "")"
                + "\(sent.isDone ? " done" : "")\(sent.isDuplicate ? " dup" : "")\(detail ?? "")"
        case .created(let created):
            let outputs = created.outputs.map(\.data.text).joined()
            return "created \(created.state?.text ?? "-") [\(outputs)]"
                + "\(created.isDuplicate ? " dup" : "")"
        case .got(let got):
            return "v\(got.version) \(got.state.text)\(got.isDone ? " done" : "")"
                + "\(got.result.map { " result=\($0.text)" } ?? "")"
        case .listed(let items, let next):
            return items.map { "\($0.name)@\($0.version)" }.joined(separator: " ")
                + (next.map { " next=\($0)" } ?? "")
        case .history(let steps, let next, let first):
            return steps.map { "\($0.version):\($0.event?.text ?? "-")" }.joined(separator: " ")
                + (next.map { " next=\($0)" } ?? "") + (first.map { " first=\($0)" } ?? "")
        case .subscribed(_, let current, let first, _):
            return "subscribed \(current.sequence) first \(first.sequence)"
        case .done: return "done"
        case .stopped(let version, let cursor): return "v\(version) at \(cursor.sequence)"
        case .held(let version, let changed, _):
            return "held v\(version.map(String.init) ?? "-") changed=\(changed)"
        case .accounts(let accounts): return "\(accounts.content)"
        case .definitions(let items):
            return items.map { "\($0.definition.name) \($0.definition.version)" }
                .joined(separator: ", ")
        case .defined(let defined):
            return "\(defined.definition.name) \(defined.definition.version)"
                + (defined.changed ? " changed" : "")
        case .undefined(let instances): return "\(instances) instances"
        case .pruned(let pruned):
            let kept = pruned.kept.map { "\($0.version):\($0.instances)" }
            return "removed \(pruned.removed) kept \(kept)"
        case .migrated(let migrated):
            return "v\(migrated.version) \(migrated.state.text) \(migrated.definition.version)"
        case .statistics(let values): return values.map(\.name).joined(separator: " ")
        case .effects(let rows, _):
            return rows.map { "\($0.ref.number) \($0.body.phase.rawValue)" }.joined(separator: ", ")
        case .cancelled(let runs, _): return "cancelled \(runs)"
        case .batch(let results):
            return results.map { result in
                switch result {
                case .sent(let sent): Reply.sent(sent).summary
                case .failure(let failure): "\(failure)"
                }
            }.joined(separator: "; ")
        case .described(let described):
            return described.machine.transitions.map {
                "\($0.from)-\($0.event)->\($0.to)\($0.isObserved ? " seen" : "")"
            }.joined(separator: ", ")
        case .describing(let describing):
            return Reply.described(describing.described).summary
        case .written(let text): return text.text
        case .can(let can):
            if let state = can.state { return "can \(state.text)" }
            return "can't: \(can.reason ?? "-") \(can.accepts)"
        case .backup(let backup): return "\(backup)"
        case .failure(let failure): return "\(failure)"
        }
    }
}

extension Publication {
    /// The publication in one line, for comparing.
    var summary: String {
        let to = recipients.map { $0.subscription.bytes.text }.joined(separator: ",")
        switch content {
        case .record(let step, let kind, let index):
            let (record, before) = (step.record, step.before)
            let what =
                switch kind {
                case .output(let number): "output \(record.outputs[number].data.text)"
                case .state: "state \(before?.text ?? "null")>\(record.state?.text ?? "?")"
                case .effect(let number): "effect \(record.effects[number].text)"
                case .lifecycle(let lifecycle): lifecycle.rawValue
                case .trace: "trace \(record.event?.text ?? "?")"
                }
            let name = record.name?.text ?? "?"
            return "\(to) \(record.sequence).\(index) \(name)@\(record.version) \(what)"
        case .snapshot(let name, let version, let state, let isDone, _):
            let end = isDone ? " done" : ""
            return "\(to) snapshot \(name)@\(version) \(state.text)\(end)"
        case .snapshotMark(let cursor): return "\(to) mark snapshot \(cursor.sequence)"
        case .liveMark(let cursor): return "\(to) mark live \(cursor.sequence)"
        case .checkpointMark(let cursor): return "\(to) mark checkpoint \(cursor.sequence)"
        case .gapMark(let gap):
            return "\(to) mark gap \(gap.from.sequence)-\(gap.to.sequence)"
        }
    }
}
