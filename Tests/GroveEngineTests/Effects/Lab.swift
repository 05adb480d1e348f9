import OrderedJSON
import Transducers

/// A machine whose events name its effects, so that a test can start any effect.
enum Lab: EffectTransducer, InitialState {
    struct State: Terminable, Codable, Sendable {
        var log: [String] = []
        var isTerminal = false
    }

    indirect enum Event: Codable, Sendable {
        case plan(Plan)
        case note(String)
        case got(JSONValue)
        case end(Plan?)
        case failed(id: String, reason: String)
        case refuse
        case breakDown
    }

    /// The error of a faulty machine.
    struct Mistake: Error {}

    indirect enum Plan: Codable, Sendable {
        case perform(String, id: String?, then: String?, tries: Int, policy: String)
        case undoable(String, id: String)
        case after(Int, id: String?, note: String)
        case send(to: String, note: String, after: Int)
        case start(String, id: String, instance: String?, note: String?, detached: Bool)
        case ask(id: String, milliseconds: Int?)
        case cancel(String)
        case prefix(String)
        case cancelAll
        case queued(Line, note: String, spacing: Int)
        case urgent(Line, note: String)
        case widen(Line)
        case apply(String)
        case refuse
        case compensate
        case sequence([Plan])
        case all([Plan])
    }

    enum Line: String, Codable, Sendable {
        case newest1, newest2, discard2, suspend1, suspend2
    }

    typealias Output = String?

    static var initialState: State { State() }

    static func update(_ state: inout State, event: Event) throws -> (Effect?, String?) {
        switch event {
        case .plan(let plan): return (effect(plan), nil)
        case .note(let text):
            state.log.append(text)
            return (nil, text)
        case .got(let value):
            let text = String(decoding: value.serialized(), as: UTF8.self)
            state.log.append("got \(text)")
            return (nil, nil)
        case .end(let plan):
            state.isTerminal = true
            return (plan.map(effect), "the end")
        case .failed(let id, let reason):
            state.log.append("\(id) failed: \(reason)")
            return (nil, nil)
        case .refuse: throw Rejection("not now")
        case .breakDown: throw Mistake()
        }
    }

    static func effectFailed(_ failure: EffectFailure) -> Event? {
        guard let id = failure.id?.id as? String else { return nil }
        return .failed(id: id, reason: "\(failure.error)")
    }

    static func effect(_ plan: Plan) -> Effect {
        switch plan {
        case .perform(let name, let id, let then, let tries, let policy):
            .perform(
                name, id: id, policy: EffectPolicy.named(policy), argument: "x", then: then,
                retry: RetryPolicy(
                    attemptsMax: tries, interval: .seconds(1), factor: 2, jitter: 0))
        case .undoable(let name, let id):
            .perform(
                name, id: id, argument: id, then: "got", retry: .never,
                undo: EffectUndo("undo", argument: id))
        case .after(let milliseconds, let id, let note):
            .after(.milliseconds(milliseconds), id: id, .note(note))
        case .send(let target, let note, let delay):
            .send(Event.note(note), to: target, after: .milliseconds(delay))
        case .start(let machine, let id, let instance, let note, let isDetached):
            .start(
                machine, id: id, instance: instance, input: note.map { Event.note($0) },
                isDetached: isDetached, then: "got")
        case .ask(let id, let milliseconds):
            .ask(id: id, expires: milliseconds.map { .milliseconds($0) }, then: "got")
        case .cancel(let id): .cancel(id: id)
        case .prefix(let prefix): .cancel(prefix: prefix)
        case .cancelAll: .cancelAll
        case .queued(let line, let note, let spacing):
            .perform(
                "work", id: note, policy: .coexist, queue: LabQueue(line: line, spacing: spacing),
                argument: note, then: "note", retry: .never)
        case .urgent(let line, let note):
            .perform(
                "work", id: note, policy: .coexist, queue: LabQueue(line: line), priority: .high,
                argument: note, then: "note", retry: .never)
        case .widen(let line): .updateQueue(LabQueue(line: line, spacing: 0, extra: 1))
        case .apply(let note): .event(.note(note))
        case .refuse: .event(.refuse)
        case .compensate: .compensate()
        case .sequence(let plans): .sequence(plans.map(effect))
        case .all(let plans): .parallel(plans.map(effect))
        }
    }
}

extension EffectPolicy {
    static func named(_ name: String) -> EffectPolicy {
        switch name {
        case "coexist": .coexist
        case "keepOldest": .keepOldest
        default: .replace
        }
    }
}

/// A queue identified by its name, whatever its capacity and spacing.
struct LabQueue: EffectQueue, CustomStringConvertible {
    var line: Lab.Line
    var spacing = 0
    var extra = 0

    static func == (left: LabQueue, right: LabQueue) -> Bool { left.line == right.line }
    func hash(into hasher: inout Hasher) { hasher.combine(line) }
    var description: String { line.rawValue }

    var effectQueuePolicy: EffectQueuePolicy {
        switch line {
        case .newest1: .runNewest(maxCount: 1 + extra)
        case .newest2: .runNewest(maxCount: 2 + extra)
        case .discard2: .runOldest(maxCount: 2 + extra, .discardNew)
        case .suspend1: .runOldest(maxCount: 1 + extra, .suspendNew)
        case .suspend2: .runOldest(maxCount: 2 + extra, .suspendNew)
        }
    }

    var effectQueueDelay: EffectQueueDelay { .constant(.milliseconds(spacing)) }
}
