public import OrderedJSON
public import Transducers

/// A live effect of an instance as it is stored: one row, written in the commit of the step that
/// caused it and of every step that changes it.
public struct StoredEffect: Sendable, Hashable {
    /// What it waits for.
    public enum Phase: String, Sendable, Hashable, Codable {
        /// For its turn in a queue.
        case waiting
        /// For its time, ``StoredEffect/due``.
        case sleeping
        /// For its handler, which may be at it; ``StoredEffect/handlerQueue`` says which.
        case active
        /// For an answer from outside.
        case asking
        /// For the end of a child.
        case child
        /// For the effects of a sequence that are under way.
        case sequence
        /// For its result to be applied, which is there already.
        case delivering
        /// For its child to be stopped; the effect itself is gone.
        case stopping
        /// For nothing: it has failed for good, and its machine has no event for that.
        case failed
        /// For nothing: it is completed and can be undone.
        case completed
    }

    /// Which one it is.
    public var ref: EffectRef
    /// When something has to happen by itself; `nil` for never.
    public var due: Timestamp?
    /// The handler that has to work now; `nil` for none. Where the handler divides its places, its
    /// name, a newline, and the share that the effect belongs to.
    public var handlerQueue: String?
    /// The rest.
    public var body: Body

    /// What the host doesn't search by, as JSON on disk.
    public struct Body: Sendable, Hashable, Codable {
        /// The instance's name, `machine/instance`.
        public var owner: String
        /// What it waits for.
        public var phase: Phase
        /// What was asked for; `nil` for a sequence.
        public var run: HostedRun?
        /// When it was asked for, milliseconds since 1970.
        public var asked: Int64
        /// When its first try began.
        public var begun: Int64?
        /// Tries that have failed.
        public var failures = 0
        /// Results that have been applied.
        public var delivered = 0
        /// Why the last try failed.
        public var reason: String?
        /// What lets somebody outside answer it.
        public var token: String?
        /// The child's name, `machine/instance`.
        public var child: String?
        /// The result that is still to be applied.
        public var outcome: Outcome?
        /// The sequence that it is a part of.
        public var parent: Int64?
        /// Of a sequence: what comes next.
        public var rest: [HostedEffect]?
        /// Of a sequence: how many of its effects are under way.
        public var outstanding = 0
        /// Of a sequence: whether one of them has ended badly.
        public var isBroken = false
        /// Of a sequence: whether it goes on when one has failed, as a compensation does.
        public var goesOn = false
        /// The dedup key of the event that it follows from, as text.
        public var request: String?
        /// Whether the instance was done when it was asked for: then nobody hears of it.
        public var isFinal = false
        /// Of work for handlers: the log in which it began, which is a part of its key. A copy of
        /// the data file is another log, and its effects keep their keys.
        public var log: String?
        /// Where it sleeps because its instance is held: what it waits for when that ends.
        public var asleep: Asleep?

        /// When a sleeper is due, milliseconds since 1970, and for which handler it waits.
        public struct Asleep: Sendable, Hashable, Codable {
            /// When it is due; `nil` for never.
            public var due: Int64?
            /// The handler; `nil` for none.
            public var lane: String?
        }

        /// What a child or an answer has given.
        public enum Outcome: Sendable, Hashable, Codable {
            case result(JSONValue)
            case failure(String)
        }
    }

    /// Puts a row together.
    public init(ref: EffectRef, due: Timestamp? = nil, handlerQueue: String? = nil, body: Body) {
        self.ref = ref
        self.due = due
        self.handlerQueue = handlerQueue
        self.body = body
    }

    /// The body as it is stored.
    public func encodedBody() throws(StoreError) -> [UInt8] {
        var writer = JSONWriter()
        do {
            try JSONCoding.encode(body, into: &writer)
        } catch {
            throw .corrupt("an effect of \(body.owner) can't be written: \(error.message)")
        }
        return writer.bytes
    }

    /// Reads a row.
    ///
    /// - Throws: `.corrupt` when the body is none; never traps.
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
    /// Whether it is work for a handler, and so has a key.
    public var isForHandler: Bool {
        if case .perform(_, _)? = body.run?.work { true } else { false }
    }

    /// About how many bytes it takes to tell a client of it.
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
    /// A row's body of which the rest is filled in by member.
    public init(owner: String, phase: StoredEffect.Phase, run: HostedRun?, asked: Timestamp) {
        self.owner = owner
        self.phase = phase
        self.run = run
        self.asked = asked.milliseconds
    }
}
