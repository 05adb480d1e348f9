import OrderedJSON
import Transducers

/// A machine that requests the effects in its events and logs their results. Every effect has a
/// unique tag, so a result identifies its effect.
enum Robot: EffectTransducer, InitialState {
    struct State: Terminable, Codable, Sendable {
        /// The received results in order: `tag#number`, or `!id` for a failure.
        var log: [String] = []
        var isTerminal = false
    }

    /// The result of an effect.
    struct Came: Codable, Sendable, Equatable {
        var tag: String
        /// The number of this result among those of its effect, from 0.
        var number = 0

        var text: String { "\(tag)#\(number)" }
    }

    /// The effects that an event requests; its serial is unique.
    struct Order: Codable, Sendable {
        var serial: Int
        var plans: [Plan]
    }

    enum Event: Codable, Sendable {
        case plan(Order)
        case came(Came)
        case failed(id: String, reason: String)
        /// Ends with this result.
        case finish(Came)
        /// Ends with this result and requests effects whose results are dropped.
        case close(Order, result: Came)
    }

    indirect enum Plan: Codable, Sendable {
        /// An event after some milliseconds. A timer replaces another one with the same slot.
        case timer(tag: String, slot: String?, milliseconds: Int64)
        /// The end after some milliseconds, with a result of this tag.
        case end(tag: String, milliseconds: Int64, result: String)
        case work(Work)
        case send(tag: String, to: String, milliseconds: Int64)
        case child(tag: String, isDetached: Bool, order: Order)
        case ask(tag: String, milliseconds: Int64?)
        /// An event without delay; only in sequences.
        case apply(tag: String)
        case compensate(tag: String)
        case cancel(id: String)
        case cancelPrefix(String)
        case cancelAll
        case sequence([Plan])
        case all([Plan])
    }

    /// The task of a handler.
    struct Work: Codable, Sendable {
        var tag: String
        var slot: String?
        var keepsOldest = false
        var handler = "work"
        var tries = 1
        var line: Line?
        var isUndoable = false
        /// The number of results before the last one.
        var stream = 0
    }

    /// The argument of a handler.
    struct Argument: Codable, Sendable {
        var tag: String
        var stream: Int
    }

    enum Line: String, Codable, Sendable, CaseIterable {
        case newest1, discard2, suspend1, suspend2, spaced2

        var max: Int {
            switch self {
            case .newest1, .suspend1: 1
            case .discard2, .suspend2, .spaced2: 2
            }
        }
    }

    typealias Output = Came?

    static var initialState: State { State() }

    static func update(_ state: inout State, event: Event) -> (Effect?, Came?) {
        switch event {
        case .plan(let order):
            return (.parallel(order.plans.map(effect)), nil)
        case .came(let came):
            state.log.append(came.text)
            return (nil, nil)
        case .failed(let id, _):
            state.log.append("!\(id)")
            return (nil, nil)
        case .finish(let result):
            state.isTerminal = true
            return (nil, result)
        case .close(let order, let result):
            state.isTerminal = true
            return (.parallel(order.plans.map(effect)), result)
        }
    }

    static func effectFailed(_ failure: EffectFailure) -> Event? {
        guard let id = failure.id?.id as? String else { return nil }
        return .failed(id: id, reason: "\(failure.error)")
    }

    // MARK: Effects

    private static func effect(_ plan: Plan) -> Effect {
        switch plan {
        case .timer(let tag, let slot, let milliseconds):
            .after(.milliseconds(milliseconds), id: slot ?? tag, .came(Came(tag: tag)))
        case .end(let tag, let milliseconds, let result):
            .after(.milliseconds(milliseconds), id: tag, .finish(Came(tag: result)))
        case .work(let work): effect(work)
        case .send(let tag, let target, let milliseconds):
            .send(
                Event.came(Came(tag: tag)), to: target, after: .milliseconds(milliseconds),
                id: tag)
        case .child(let tag, let isDetached, let order):
            .start(
                "robot", id: tag, instance: childName(tag),
                input: order.plans.isEmpty ? nil : Event.plan(order), isDetached: isDetached,
                then: "came")
        case .ask(let tag, let milliseconds):
            .ask(id: tag, expires: milliseconds.map { .milliseconds($0) }, then: "came")
        case .apply(let tag): .event(.came(Came(tag: tag)))
        case .compensate(let tag): .compensate(id: tag)
        case .cancel(let id): .cancel(id: id)
        case .cancelPrefix(let prefix): .cancel(prefix: prefix)
        case .cancelAll: .cancelAll
        case .sequence(let plans): .sequence(plans.map(effect))
        case .all(let plans): .parallel(plans.map(effect))
        }
    }

    static func childName(_ tag: String) -> String { "kid-\(tag)" }

    private static func effect(_ work: Work) -> Effect {
        .perform(
            work.handler, id: work.slot ?? work.tag,
            policy: work.keepsOldest ? .keepOldest : .replace,
            queue: work.line.map { RobotQueue(line: $0) },
            argument: Argument(tag: work.tag, stream: work.stream), then: "came",
            retry: RetryPolicy(attemptsMax: work.tries, interval: .seconds(1), jitter: 0.5),
            undo: work.isUndoable
                ? EffectUndo("undo", argument: Argument(tag: work.tag, stream: 0)) : nil)
    }
}

/// A queue in which a robot's effects wait.
private struct RobotQueue: EffectQueue, CustomStringConvertible {
    var line: Robot.Line

    var description: String { line.rawValue }

    var effectQueuePolicy: EffectQueuePolicy {
        switch line {
        case .newest1: .runNewest(maxCount: line.max)
        case .discard2: .runOldest(maxCount: line.max, .discardNew)
        case .suspend1, .suspend2, .spaced2: .runOldest(maxCount: line.max, .suspendNew)
        }
    }

    var effectQueueDelay: EffectQueueDelay {
        line == .spaced2
            ? .random(.milliseconds(50) ... .milliseconds(500)) : .constant(.zero)
    }
}

extension Robot.Plan {
    /// The simple plans in it, or itself if it is one, in the order of the request.
    var leaves: [Robot.Plan] {
        switch self {
        case .sequence(let plans), .all(let plans): plans.flatMap(\.leaves)
        default: [self]
        }
    }

    /// The tag of the requested effect.
    var tag: String? {
        switch self {
        case .timer(let tag, _, _), .end(let tag, _, _), .send(let tag, _, _),
            .child(let tag, _, _), .ask(let tag, _), .apply(let tag), .compensate(let tag):
            tag
        case .work(let work): work.tag
        case .cancel, .cancelPrefix, .cancelAll, .sequence, .all: nil
        }
    }

    /// The id of the requested effect.
    var id: String? {
        switch self {
        case .timer(let tag, let slot, _): slot ?? tag
        case .work(let work): work.slot ?? work.tag
        case .apply: nil
        default: tag
        }
    }

    /// The engine's name for this kind of effect.
    var kind: String {
        switch self {
        case .timer, .end: "after"
        case .apply: "event"
        case .work: "perform"
        case .send: "send"
        case .child: "start"
        case .ask: "ask"
        case .compensate: "compensate"
        case .cancel, .cancelPrefix, .cancelAll, .sequence, .all: ""
        }
    }
}
