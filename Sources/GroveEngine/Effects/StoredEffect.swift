import GroveWire
public import OrderedJSON
public import Transducers

/// A live effect as it is stored: one row, written in the commit of the step that asks for it, and
/// of each step that changes it.
public struct StoredEffect: Sendable, Hashable {
    /// What the effect waits for.
    public enum Phase: String, Sendable, Hashable, Codable {
        /// Its turn in a queue.
        case waiting
        /// Its time, ``StoredEffect/due``.
        case sleeping
        /// Its handler, which may run already (``StoredEffect/handlerQueue``).
        case active
        /// An answer from outside.
        case asking
        /// The end of its child.
        case child
        /// The parts of a sequence that run.
        case sequence
        /// The step that applies its outcome.
        case delivering
        /// The stop of its child. The effect itself was canceled.
        case stopping
        /// Nothing: it has failed, and its machine has no event for that.
        case failed
        /// Nothing: it is completed and can be undone.
        case completed
    }

    public var ref: EffectRef
    /// The time at which it is due; `nil` for never.
    public var due: Timestamp?
    /// The queue in which it waits for a handler, or in which it runs; `nil` for none. The name of
    /// the handler. If the handler has shares: its name, a newline, and the effect's share. The
    /// column on disk is `lane`.
    public var handlerQueue: String?
    /// The members that the engine doesn't search by.
    public var body: Body {
        _read { yield shared[0] }
        _modify {
            knownWeight = nil
            yield &shared[0]
        }
    }
    /// Exactly one element. A body has more than a dozen counted references; copies of a row share
    /// them all by one.
    private var shared: [Body]
    /// ``weight``, if it was counted since the last change of the body.
    private(set) var knownWeight: Int?

    /// Counts ``weight``, for all copies to come.
    mutating func weigh() {
        if knownWeight == nil { knownWeight = body.weight }
    }

    /// Compares what is stored.
    public static func == (left: StoredEffect, right: StoredEffect) -> Bool {
        left.ref == right.ref && left.due == right.due && left.handlerQueue == right.handlerQueue
            && left.shared == right.shared
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(ref)
        hasher.combine(due)
        hasher.combine(handlerQueue)
        hasher.combine(shared)
    }

    /// The members that the engine doesn't search by. JSON on disk: the names are fixed.
    public struct Body: Sendable, Hashable, Codable {
        public var owner: String
        public var phase: Phase
        /// The work; `nil` for a sequence.
        public var run: HostedRun?
        /// The time of the step that asked for it, milliseconds since 1970.
        public var asked: Int64
        /// The start of its first attempt, milliseconds since 1970.
        public var begun: Int64?
        public var failures = 0
        public var delivered = 0
        public var reason: String?
        public var token: String?
        public var child: String?
        public var outcome: Outcome?
        /// The number of the sequence that it is a part of.
        public var parent: Int64?
        /// Of a sequence: the parts that are still to come.
        public var rest: [HostedEffect]?
        /// Of a sequence: the number of parts that run.
        public var outstanding = 0
        /// Of a sequence: whether a part has failed or was canceled.
        public var isBroken = false
        /// Of a sequence: whether it continues after a failure, as a compensation does.
        public var goesOn = false
        /// The dedup key of the client's event that caused it, as text.
        public var request: String?
        /// Whether the instance was done when it asked for the effect: then its result is dropped.
        public var isFinal = false
        /// Of work for handlers: the log in which it began, which is a part of its idempotency key.
        /// A copy of the data file is another log, and its effects keep their keys.
        public var log: String?
        /// The `traceparent` of the request that caused it; `nil` for none.
        public var trace: String?
        /// While its instance is held: what it waits for after the hold.
        public var asleep: Asleep?

        /// ``trace``, read.
        var traceparent: TraceParent? { trace.flatMap { TraceParent($0.utf8) } }

        /// The due time and the handler queue of an effect that sleeps during a hold.
        public struct Asleep: Sendable, Hashable, Codable {
            /// Milliseconds since 1970; `nil` for never.
            public var due: Int64?
            /// The handler queue; `nil` for none.
            public var lane: String?
        }

        /// The outcome of a child, or of an effect of a held instance.
        public enum Outcome: Sendable, Hashable, Codable {
            case result(JSONValue)
            case failure(String)
        }
    }

    package init(ref: EffectRef, due: Timestamp? = nil, handlerQueue: String? = nil, body: Body) {
        self.ref = ref
        self.due = due
        self.handlerQueue = handlerQueue
        shared = [body]
    }

    public func encodedBody() throws(StoreError) -> [UInt8] {
        var writer = JSONWriter(capacity: 640)
        do {
            try body.write(into: &writer)
        } catch {
            throw .corrupt("an effect of \(body.owner) can't be written: \(error.message)")
        }
        return writer.bytes
    }

    /// Decodes a row.
    ///
    /// - Throws: `.corrupt` for bytes that aren't a body; never traps.
    public init(
        ref: EffectRef, due: Timestamp?, handlerQueue: String?,
        decoding bytes: UnsafeRawBufferPointer
    ) throws(StoreError) {
        do {
            let document = try JSONDocument(parsing: Array(bytes), limits: .stored)
            let body = try JSONCoding.decode(Body.self, from: document, at: document.root)
            self.init(ref: ref, due: due, handlerQueue: handlerQueue, body: body)
        } catch {
            throw .corrupt(
                "effect \(ref.number) of instance \(ref.instance.value) can't be read: \(error)")
        }
    }
}

extension StoredEffect {
    /// Whether it is work for a handler, which has an idempotency key.
    public var isForHandler: Bool {
        if case .perform(_, _)? = body.run?.work { true } else { false }
    }

    /// About how many bytes it has in a reply.
    var shownBytes: Int {
        var bytes = 300 + body.owner.utf8.count + (body.reason?.utf8.count ?? 0)
        if let run = body.run {
            bytes += (run.key.text?.utf8.count ?? 0) + (run.target?.utf8.count ?? 0)
            if case .after(_, let event) = run.work { bytes += event.serialized().count }
        }
        return bytes
    }

    /// About how many bytes are read for it, shown or not.
    var readBytes: Int {
        switch body.run?.work {
        case .perform(_, let value), .send(_, let value, _), .start(_, _, let value?, _):
            shownBytes + value.serialized().count
        case .after, .start, .ask, .compensate, .closure, nil: shownBytes
        }
    }
}

extension StoredEffect.Body {
    package init(owner: String, phase: StoredEffect.Phase, run: HostedRun?, asked: Timestamp) {
        self.owner = owner
        self.phase = phase
        self.run = run
        self.asked = asked.milliseconds
    }
}

extension StoredEffect {
    /// The token of the closure that it runs.
    var closureToken: Int64? {
        if case .closure(let token)? = body.run?.work { token } else { nil }
    }

    /// Whether its child lives on after it.
    var isDetached: Bool {
        if case .start(_, _, _, let isDetached)? = body.run?.work { isDetached } else { false }
    }

    /// Whether it is an event of a sequence, which a refusal of the event ends.
    var isImmediateEvent: Bool {
        if case .after(milliseconds: 0, _)? = body.run?.work { body.parent != nil } else { false }
    }

    func isDue(at now: Timestamp) -> Bool { due.map { $0 <= now } ?? false }
}
