public import OrderedJSON
public import Transducers

/// One request of a client, decoded and checked as far as the line alone allows.
public struct Request: Sendable {
    /// Where it came from.
    public var connection: ConnectionID

    /// Which request of the connection it is; its reply carries the same number. Whether the
    /// client wants a reply, and under which id, is the connection's business.
    public var token: UInt32

    /// What is asked.
    public var operation: Operation

    /// Puts a request together.
    public init(connection: ConnectionID, token: UInt32, operation: Operation) {
        self.connection = connection
        self.token = token
        self.operation = operation
    }
}

/// The ops of the protocol that the engine answers.
public enum Operation: Sendable {
    case send(Send)
    case create(Create)
    case get(Get)
    indirect case list(List)
    case history(History)
    indirect case subscribe(Subscribe)
    case unsubscribe(SubscriptionName)
    case credit(SubscriptionName, Int64)
    case stop(InstanceName, reason: String?)
    case delete(InstanceName)
    case definitions
    case stats
    case effects(EffectsQuery)
    case cancel(InstanceName, CancelChoice)
    /// Without a run, an instance that was set aside.
    case retry(InstanceName, run: Int64?, event: JSONValue? = nil)
    case suspend(HoldSubject, reason: String?)
    case resume(HoldSubject)
    case complete(EffectToken, EffectAnswer)
    case await(Await)
    case batch(SendBatch)
    case can(Can)
    case describe(Describe)
    case importing(Import)
    case backup(BackupRequest)
}

/// `effects`: a page of effects that live, wait or have failed, of one instance or of all.
public struct EffectsQuery: Sendable {
    /// The instance; `nil` for all.
    public var to: InstanceName?
    /// Only those in this phase.
    public var phase: StoredEffect.Phase?
    /// Only what follows this one (`next` of the page before).
    public var after: EffectRef?
    /// Items of the page, 1 to 1,000.
    public var limit: Int

    /// Puts a query together.
    public init(
        to: InstanceName? = nil, phase: StoredEffect.Phase? = nil, after: EffectRef? = nil,
        limit: Int = 100
    ) {
        self.to = to
        self.phase = phase
        self.after = after
        self.limit = limit
    }
}

/// `cancel`: which effects of an instance are meant.
public enum CancelChoice: Sendable, Equatable {
    /// The one with this run number.
    case run(Int64)
    /// Those with this id, scopes and slashes before it.
    case id(String)
    /// The timers with this id.
    case timer(String)
    /// Those that follow from the event with this dedup key.
    case request([UInt8])
}

/// `complete`: what somebody outside answers to an effect that waits for them.
public enum EffectAnswer: Sendable {
    /// The result.
    case result(JSONValue)
    /// It failed, for this reason.
    case failure(String)
}

/// `await`: answers when an instance is done, or in a state.
public struct Await: Sendable {
    /// What is waited for.
    public enum Condition: Sendable, Hashable {
        case done
        /// The state of this name.
        case state(String)
    }

    /// The instance.
    public var to: InstanceName
    /// What is waited for.
    public var until: Condition
    /// Milliseconds until it is given up, at most an hour.
    public var timeout: Int64

    /// Puts the three together.
    public init(to: InstanceName, until: Condition, timeout: Int64) {
        self.to = to
        self.until = until
        self.timeout = timeout
    }
}

/// An event of a request.
public enum EventInput: Sendable {
    /// Decoded to its machine's type.
    case decoded(any HostedEvent)
    /// The machine is known, the event is none of its.
    case undecodable(EventError)
    /// Decoded, but none that clients may send; it is called so.
    case internalOnly(any HostedEvent, name: String)
    /// There is no such machine.
    case unknownMachine
    /// The instance is set aside: its event isn't looked at, because that may be what ends the
    /// process.
    case withheld
}

/// `send`: applies an event to an instance. An object, because it is handed from the io queue to
/// the engine and through it, and is never changed on the way.
public final class Send: Sendable {
    /// What must hold of the instance before the event is applied.
    public enum Expectation: Sendable, Equatable {
        case version(Int64)
        case absent
        case exists
    }

    /// Whether an absent instance is created.
    public enum CreateMode: Sendable { case ifAbsent, never, must }

    /// How much the reply tells.
    public enum ReplyDetail: Sendable { case minimal, state, full }

    /// Which effects the reply waits for.
    public enum Settle: Sendable {
        /// None: it is written after the commit.
        case none
        /// Those that the event asks for.
        case own
        /// Those, and all that follow from what they give.
        case tree
    }

    /// The instance.
    public let to: InstanceName
    /// The event, decoded.
    public let event: EventInput
    /// The event as it was sent, JSON.
    public let eventText: [UInt8]
    /// The client's dedup key, 1 to 200 bytes.
    public let dedup: [UInt8]?
    /// What must hold.
    public let expect: Expectation?
    /// Whether to create.
    public let create: CreateMode
    /// How much to answer.
    public let reply: ReplyDetail
    /// Which effects the answer waits for.
    public let settle: Settle
    /// Milliseconds that it waits for them at most.
    public let timeout: Int64

    /// A send; what isn't given has the defaults of the protocol.
    public init(
        to: InstanceName, event: EventInput, eventText: [UInt8], dedup: [UInt8]? = nil,
        expect: Expectation? = nil, create: CreateMode = .ifAbsent,
        reply: ReplyDetail = .minimal, settle: Settle = .none,
        timeout: Int64 = Limits.waitMillisecondsMax
    ) {
        self.to = to
        self.event = event
        self.eventText = eventText
        self.dedup = dedup
        self.expect = expect
        self.create = create
        self.reply = reply
        self.settle = settle
        self.timeout = timeout
    }
}

/// `create`: makes an instance in its initial state.
public struct Create: Sendable {
    /// The instance.
    public var to: InstanceName
    /// Whether the client gave an input. No machine takes one yet: such a request is refused.
    public var hasInput: Bool
    /// The client's dedup key, 1 to 200 bytes.
    public var dedup: [UInt8]?

    /// Puts a create together.
    public init(to: InstanceName, hasInput: Bool, dedup: [UInt8]?) {
        self.to = to
        self.hasInput = hasInput
        self.dedup = dedup
    }
}

/// `get`: one instance at one point.
public struct Get: Sendable {
    /// The instance.
    public var to: InstanceName
    /// The version asked for; `nil` for the present.
    public var at: Int64?

    /// Puts a get together.
    public init(to: InstanceName, at: Int64?) {
        self.to = to
        self.at = at
    }
}

/// `list`: a page of instances in the byte order of their names.
public struct List: Sendable {
    /// Only instances of this machine.
    public var machine: String?
    /// Only instances whose name after the slash begins so.
    public var prefix: String = ""
    /// Only instances in the state of this name.
    public var state: String?
    /// Only done, or only not done ones.
    public var isDone: Bool?
    /// Only instances whose last step was taken by an earlier version of their definition, or only
    /// others.
    public var isOutdated: Bool?
    /// Only those that are held so themselves, whatever their machine is.
    public var held: Hold.Kind?
    /// Only what follows the instance of this name (`next` of the page before).
    public var after: String?
    /// Items of the page, 1 to 1,000.
    public var limit: Int = 100

    /// A list of everything.
    public init() {}
}

/// `history`: a page of an instance's versions.
public struct History: Sendable {
    /// The instance.
    public var to: InstanceName
    /// Only versions greater than this one.
    public var after: Int64
    /// Items of the page, 1 to 1,000.
    public var limit: Int

    /// Puts a history together.
    public init(to: InstanceName, after: Int64 = 0, limit: Int = 100) {
        self.to = to
        self.after = after
        self.limit = limit
    }
}

/// `subscribe`: a standing interest in what happens.
public struct Subscribe: Sendable {
    /// Where to begin.
    public enum Start: Sendable, Equatable {
        /// With what happens from now on.
        case now
        /// With the oldest record held.
        case first
        /// Behind a cursor of this log.
        case after(Cursor)
        /// The client's cursor is one of another log.
        case foreign
        /// What the client gives as a cursor is none at all.
        case nonsense
    }

    /// What to do when the client's connection is full.
    public enum SlowPolicy: Sendable { case pause, conflate, disconnect }

    /// The client's name for it.
    public var name: SubscriptionName
    /// What it is about.
    public var selection: Selection
    /// Where it begins.
    public var start: Start = .now
    /// Whether the present state of all selected instances comes first.
    public var snapshot = false
    /// Records that may be sent before the client grants more; `nil` for no such bound.
    public var credit: Int64?
    /// What to do when the connection is full.
    public var slow: SlowPolicy = .pause
    /// What its host wants to know about it with each record; it means nothing here.
    public var tag: UInt8 = 0

    /// A subscription to what follows from now on.
    public init(name: SubscriptionName, selection: Selection) {
        self.name = name
        self.selection = selection
    }
}

/// A client's name for a subscription, unique in its connection; compared byte by byte.
public struct SubscriptionName: Hashable, Sendable {
    /// 1 to 200 bytes of UTF-8.
    public let bytes: [UInt8]

    /// Wraps the bytes.
    public init(_ bytes: [UInt8]) { self.bytes = bytes }
}
