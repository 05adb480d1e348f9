public import OrderedJSON

/// An effect of a hosted machine with its types erased: what a step asks its host for, and what
/// the host stores.
public indirect enum HostedEffect: Sendable, Hashable, Codable {
    /// Start work, or have it wait.
    case start(HostedRun)
    /// Apply an event; only within a sequence, where its time comes after the step.
    case event(JSONValue)
    /// Cancel what is meant.
    case cancel(HostedSelector)
    /// Make a queue's new policy known.
    case updateQueue(HostedQueue)
    /// One after the other, each when the one before has ended well.
    case sequence([HostedEffect])
    /// All, begun in order.
    case all([HostedEffect])
}

/// The full name of a hosted effect: its id as text within the scopes of the inner machines that
/// it came through.
public struct HostedKey: Sendable, Hashable, Codable {
    /// From the outermost to the innermost.
    public var scopes: [String]
    /// The id, if it has one.
    public var id: String?

    /// Puts the two together.
    public init(scopes: [String] = [], id: String?) {
        self.scopes = scopes
        self.id = id
    }

    /// Scopes and id with slashes between; `nil` when there are neither.
    public var text: String? {
        let parts = scopes + (id.map { [$0] } ?? [])
        return parts.isEmpty ? nil : parts.joined(separator: "/")
    }

    init(_ key: EffectKey) {
        self.init(scopes: key.scopes.map(\.description), id: key.base?.description)
    }

    /// The name as a ledger compares it.
    package var ledgerKey: EffectKey { effectKey ?? .unnamed }

    /// The name as machines know it.
    var effectKey: EffectKey? {
        guard id != nil || !scopes.isEmpty else { return nil }
        return EffectKey(scopes: scopes.map { AnyKey($0) }, base: id.map { AnyKey($0) })
    }
}

/// One piece of work that a hosted machine asks for.
public struct HostedRun: Sendable, Hashable, Codable {
    /// What is to be done.
    public enum Work: Sendable, Hashable, Codable {
        /// Apply the event in so many milliseconds.
        case after(milliseconds: Int64, event: JSONValue)
        /// Have a handler work.
        case perform(handler: String, argument: JSONValue)
        /// Send an event to another instance in so many milliseconds.
        case send(to: String, event: JSONValue, milliseconds: Int64)
        /// Start an instance of a machine.
        case start(machine: String, instance: String?, input: JSONValue?, detached: Bool)
        /// Wait for an answer from outside, so many milliseconds at most.
        case ask(milliseconds: Int64?)
        /// Undo what has been completed.
        case compensate
        /// Run the closure that the process knows by this token (``HostedClosures``).
        case closure(token: Int64)
    }

    /// Its name.
    public var key: HostedKey
    /// What happens when an effect of this name lives.
    public var policy: Policy
    /// The queue it stands in.
    public var queue: HostedQueue?
    /// Waiting ones of a higher rank start first.
    public var rank: Int
    /// What is to be done.
    public var work: Work
    /// The name of the event that its result becomes.
    public var then: String?
    /// How often it is tried.
    public var retry: RetryPolicy
    /// Milliseconds that one try may take; `nil` for what the handler says.
    public var timeout: Int64?
    /// What undoes it once it is completed.
    public var undo: Undo?

    /// Puts a run together.
    public init(
        key: HostedKey, policy: Policy = .replace, queue: HostedQueue? = nil, rank: Int = 0,
        work: Work, then: String? = nil, retry: RetryPolicy = .standard, timeout: Int64? = nil,
        undo: Undo? = nil
    ) {
        self.key = key
        self.policy = policy
        self.queue = queue
        self.rank = rank
        self.work = work
        self.then = then
        self.retry = retry
        self.timeout = timeout
        self.undo = undo
    }

    /// What happens when an effect of the same name lives (``EffectPolicy``).
    public enum Policy: String, Sendable, Hashable, Codable {
        case replace, coexist
        case keepOldest = "keep_oldest"
    }

    /// The work that undoes another.
    public struct Undo: Sendable, Hashable, Codable {
        /// The handler.
        public var handler: String
        /// What it gets.
        public var argument: JSONValue
    }

    /// A short name of the kind of work: `after`, `perform`, `send`, `start`, `ask`,
    /// `compensate` or `closure`; `event` for an event of a sequence whose turn has come.
    public var kind: String {
        switch work {
        // A timer's own policy is another one: only such an event is asked for without tries.
        case .after(milliseconds: 0, _) where retry == .never: "event"
        case .after: "after"
        case .perform: "perform"
        case .send: "send"
        case .start: "start"
        case .ask: "ask"
        case .compensate: "compensate"
        case .closure: "closure"
        }
    }

    /// The greatest integer that JSON can say exactly.
    static let integerMax: Int64 = 1 << 53 - 1

    /// Milliseconds from 0 to what JSON can say exactly, 285,000 years.
    static func storable(_ milliseconds: Int64) -> Int64 {
        min(max(0, milliseconds), integerMax)
    }

    /// The handler, instance or machine that it is about.
    public var target: String? {
        switch work {
        case .perform(let handler, _): handler
        case .send(let instance, _, _): instance
        case .start(let machine, _, _, _): machine
        case .after, .ask, .compensate, .closure: nil
        }
    }
}

/// A queue of a hosted machine: known by its name, with the policy of the newest effect in it.
public struct HostedQueue: Sendable, Hashable, Codable, EffectQueue {
    /// Its name: the queue as text, within its scopes.
    public var name: String
    /// How many may run.
    public var maxCount: Int
    /// Which ones run, and what becomes of the others.
    public var overflow: Overflow
    /// Milliseconds between two starts, at least.
    public var spacing: Int64
    /// Milliseconds that are drawn on top, up to so many.
    public var spacingRange: Int64

    /// What happens to the one too many.
    public enum Overflow: String, Sendable, Hashable, Codable {
        /// The oldest that runs is cancelled.
        case cancelOldest = "cancel_oldest"
        /// The new one doesn't run.
        case discardNew = "discard_new"
        /// The new one waits.
        case suspendNew = "suspend_new"
    }

    /// Two queues of one name are one.
    public static func == (left: HostedQueue, right: HostedQueue) -> Bool {
        left.name == right.name
    }

    /// By name.
    public func hash(into hasher: inout Hasher) { hasher.combine(name) }

    /// The policy that it says.
    public var effectQueuePolicy: EffectQueuePolicy {
        switch overflow {
        case .cancelOldest: .runNewest(maxCount: maxCount)
        case .discardNew: .runOldest(maxCount: maxCount, .discardNew)
        case .suspendNew: .runOldest(maxCount: maxCount, .suspendNew)
        }
    }

    /// The spacing that it says.
    public var effectQueueDelay: EffectQueueDelay {
        spacingRange == 0
            ? .constant(.milliseconds(spacing))
            : .random(.milliseconds(spacing) ... .milliseconds(spacing + spacingRange))
    }

    /// As many as JSON can say exactly, which is as good as without a bound.
    private static func storable(_ count: Int) -> Int {
        min(count, Int(HostedRun.integerMax))
    }

    init(_ key: QueueKey) {
        let queue = key.queue
        name = (key.scopes.map(\.description) + ["\(type(of: queue)).\(queue)"])
            .joined(separator: "/")
        switch queue.effectQueuePolicy {
        case .runNewest(let count):
            (maxCount, overflow) = (Self.storable(count), .cancelOldest)
        case .runOldest(let count, .discardNew):
            (maxCount, overflow) = (Self.storable(count), .discardNew)
        case .runOldest(let count, .suspendNew):
            (maxCount, overflow) = (Self.storable(count), .suspendNew)
        }
        switch queue.effectQueueDelay {
        case .constant(let delay):
            (spacing, spacingRange) = (HostedRun.storable(delay.milliseconds), 0)
        case .random(let range):
            spacing = HostedRun.storable(range.lowerBound.milliseconds)
            spacingRange = HostedRun.storable(range.upperBound.milliseconds) - spacing
        }
    }
}

/// Which effects of a hosted machine are meant.
public struct HostedSelector: Sendable, Hashable, Codable {
    /// How they are told.
    public enum Choice: Sendable, Hashable, Codable {
        case id(String)
        case prefix(String)
        case all
    }

    /// Within these scopes.
    public var scopes: [String]
    /// How they are told.
    public var choice: Choice

    /// Puts the two together.
    public init(scopes: [String] = [], _ choice: Choice) {
        self.scopes = scopes
        self.choice = choice
    }

    /// Whether the effect of this name is meant.
    public func includes(_ key: HostedKey) -> Bool {
        guard key.scopes.starts(with: scopes) else { return false }
        if case .all = choice { return true }
        guard key.scopes.count == scopes.count, let id = key.id else { return false }
        return switch choice {
        case .id(let meant): id == meant
        case .prefix(let prefix): id.utf8.starts(with: prefix.utf8)
        case .all: true
        }
    }
}
