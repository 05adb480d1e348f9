import OrderedJSON

/// One piece of work that a hosted machine asks for. Rows store it as JSON: names are fixed.
public struct HostedRun: Sendable, Hashable, Codable {
    /// Work as it is stored.
    public typealias Work = DurableWork<JSONValue, JSONValue>

    /// The effect's name.
    public var key: HostedKey
    /// The rule for starting it while an effect with this name is live.
    public var policy: EffectPolicy
    /// The queue in which it waits.
    public var queue: HostedQueue?
    /// Waiting effects of a higher rank start first.
    public var rank: Int
    /// The work.
    public var work: Work
    /// The name of the event that its result becomes.
    public var then: String?
    /// The attempts and the pauses between them.
    public var retry: RetryPolicy
    /// The time limit of an attempt in milliseconds; `nil` for the handler's own.
    public var timeout: Int64?
    /// The work that undoes it after it is completed.
    public var undo: Undo?
    /// Whether it sends to its instance's parent, which takes the event only while the effect that
    /// started the instance lives; `nil` for no. Other sends are to whatever has the name.
    public var isToParent: Bool?

    /// A run.
    public init(
        key: HostedKey, policy: EffectPolicy = .replace, queue: HostedQueue? = nil, rank: Int = 0,
        work: Work, then: String? = nil, retry: RetryPolicy = .standard, timeout: Int64? = nil,
        undo: Undo? = nil, isToParent: Bool? = nil
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
        self.isToParent = isToParent
    }

    /// The call that undoes a completed effect.
    public struct Undo: Sendable, Hashable, Codable {
        /// The handler.
        public var handler: String
        /// The handler's argument.
        public var argument: JSONValue

        package init(handler: String, argument: JSONValue) {
            self.handler = handler
            self.argument = argument
        }
    }

    /// The kind of work: `after`, `perform`, `send`, `start`, `ask`,
    /// `compensate` or `closure`; `event` for an event that is the next part of a sequence.
    public var kind: String {
        switch work {
        // A timer has another policy: only such an event has no retries.
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

    /// Milliseconds from 0 to the greatest integer that is exact in JSON: 285,000 years.
    static func storable(_ milliseconds: Int64) -> Int64 {
        min(max(0, milliseconds), integerMax)
    }

    @usableFromInline
    static func storable(_ duration: Duration) -> Int64 { storable(duration.milliseconds) }

    /// The handler, instance or machine that the work names.
    public var target: String? {
        switch work {
        case .perform(let handler, _): handler
        case .send(let instance, _, _): instance
        case .start(let machine, _, _, _): machine
        case .after, .ask, .compensate, .closure: nil
        }
    }
}
