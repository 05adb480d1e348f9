import OrderedJSON

/// One piece of work that a hosted machine asks for.
public struct HostedRun: Sendable, Hashable, Codable {
    /// What is to be done.
    public enum Work: Sendable, Hashable, Codable {
        /// Apply the event after these milliseconds.
        case after(milliseconds: Int64, event: JSONValue)
        /// Have a handler work.
        case perform(handler: String, argument: JSONValue)
        /// Send an event to another instance after these milliseconds.
        case send(to: String, event: JSONValue, milliseconds: Int64)
        /// Start an instance of a machine.
        case start(machine: String, instance: String?, input: JSONValue?, detached: Bool)
        /// Wait for an answer from outside, these milliseconds at most.
        case ask(milliseconds: Int64?)
        /// Undo what has been completed.
        case compensate
        /// Run the closure that the process knows by this token (``HostedClosures``).
        case closure(token: Int64)
    }

    /// Its name.
    public var key: HostedKey
    /// The rule for starting it while an effect with this name is live.
    public var policy: EffectPolicy
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

    /// A run.
    public init(
        key: HostedKey, policy: EffectPolicy = .replace, queue: HostedQueue? = nil, rank: Int = 0,
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

    /// The work that undoes another.
    public struct Undo: Sendable, Hashable, Codable {
        /// The handler.
        public var handler: String
        /// What it gets.
        public var argument: JSONValue
    }

    /// A short name of the kind of work: `after`, `perform`, `send`, `start`, `ask`,
    /// `compensate` or `closure`; `event` for an event of a sequence that is next.
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
