import OrderedJSON
import Transducers

/// `send`: applies an event to an instance. An object, because it moves from the io queue to the
/// engine and through it, and never changes.
public final class Send: Sendable {
    /// The condition on the instance before the event is applied.
    public enum Expectation: Sendable, Equatable {
        case version(Int64)
        case absent
        case exists
    }

    /// Whether an absent instance is created.
    public enum CreateMode: Sendable { case ifAbsent, never, must }

    /// The fields of the reply.
    public enum ReplyDetail: Sendable { case minimal, state, full }

    /// The effects that the reply waits for.
    public enum Settle: Sendable {
        /// None: it is written after the commit.
        case none
        /// The effects that the event asks for.
        case own
        /// These, and all that follow from their results.
        case tree
    }

    public let to: InstanceName
    public let event: EventInput
    /// The event as it was sent, JSON.
    public let eventText: [UInt8]
    /// The event for the journal, if that has more than ``eventText``.
    var journalText: [UInt8]? {
        if case .decoded(let event) = event { event.journalText } else { nil }
    }
    /// The client's dedup key, 1 to 200 bytes.
    public let dedup: [UInt8]?
    /// The condition on the instance.
    public let expect: Expectation?
    public let create: CreateMode
    public let reply: ReplyDetail
    /// The effects that the reply waits for.
    public let settle: Settle
    /// The longest wait for these effects, in milliseconds.
    public let timeout: Int64

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

extension Reply {
    /// The answer to `send`.
    public struct Sent: Sendable {
        public var version: Int64
        /// The cursor after the step's last record.
        public var cursor: Cursor
        public var changed: Bool
        public var isDone: Bool
        /// Whether this answers a repeated dedup key.
        public var isDuplicate: Bool
        /// State and outputs, if the client asked for them.
        public var detail: Detail?
        /// The ends of the effects that the reply waited for, in order; `nil` unless it waited.
        public var settled: [EffectOutcome]?

        public init(
            version: Int64, cursor: Cursor, changed: Bool, isDone: Bool, isDuplicate: Bool
        ) {
            self.version = version
            self.cursor = cursor
            self.changed = changed
            self.isDone = isDone
            self.isDuplicate = isDuplicate
        }

        /// The fields that `reply: "state"` and `"full"` add.
        public final class Detail: Sendable {
            public let state: [UInt8]
            /// The outputs of the step as JSON values; `nil` unless `"full"`.
            public let outputs: [JournalRecord.Output]?
            /// The changes of effects in the step, as in their records; `nil` unless
            /// `"full"`.
            public let effects: [[UInt8]]?

            init(state: [UInt8], outputs: [JournalRecord.Output]?, effects: [[UInt8]]?) {
                self.state = state
                self.outputs = outputs
                self.effects = effects
            }
        }
    }

    /// The end of an effect that a reply waited for.
    public struct EffectOutcome: Sendable, Equatable {
        /// How it ended.
        public enum End: String, CaseIterable, Sendable { case completed, failed, cancelled }

        public var number: Int64
        /// The instance, if it isn't the event's instance.
        public var instance: InstanceName?
        public var id: String?
        public var end: End
        public var reason: String?
    }
}

extension Engine {
    /// `send`: dedup, then `expect`, then existence, then the event itself, in the order of
    /// protocol.md, "send".
    mutating func send(_ send: Send, in turn: Turn) -> Reply {
        let outer = witness(send.to, event: send.eventText)
        defer { unwitness(outer) }
        do throws(Failure) {
            let input = try known(send.event, send.eventText, of: send.to)
            let found = try find(send.to, in: turn)
            if let known = try knownDedup(send.dedup, on: found, in: turn) {
                return .sent(try repeated(send, known))
            }
            try check(send.expect, on: found)
            if case .withheld = input {
                try requireFree(send.to)
                throw Failure.busy("\(send.to) was let go at this moment")
            }
            switch found {
            case .resident(let place):
                if send.create == .must {
                    throw Failure.alreadyExists(
                        send.to, version: instances.residents[place].stored.version)
                }
                return .sent(try apply(send, input, to: place, in: turn))
            case .absent:
                if send.create == .never { throw Failure.noSuchInstance(send.to) }
                return .sent(try applyToNew(send, input, in: turn))
            }
        } catch {
            return .failure(error)
        }
    }

    /// The event, which is decoded here if its machine was defined after the line was read.
    func known(
        _ input: EventInput, _ text: [UInt8], of name: InstanceName
    ) throws(Failure) -> EventInput {
        guard case .unknownMachine = input else { return input }
        guard let definition = catalogue[name.machine], definition.isFixed else {
            throw .noSuchMachine(name.machine)
        }
        do {
            let document = try JSONDocument(parsing: text)
            return .decoded(try definition.machine.decodeEvent(document, at: document.root))
        } catch let error as EventError {
            return .undecodable(
                EventError(
                    path: "$.event" + error.path.dropFirst(), message: error.message,
                    expected: error.expected))
        } catch {
            throw .noSuchMachine(name.machine)
        }
    }

    // MARK: Checks

    /// The reply of the first time, if the key came with the same event then: the same when the
    /// present machine reads it, or by its text.
    private mutating func repeated(
        _ send: Send, _ entry: DedupEntry
    ) throws(Failure) -> Reply.Sent {
        guard try isSame(send, entry) else {
            // Its text is that of another event; the reply may not show whether it means the same.
            if case .withheld = send.event { try requireFree(send.to) }
            throw .dedupMismatch(version: entry.version)
        }
        return Reply.Sent(
            version: entry.version, cursor: Cursor(sequence: entry.sequence),
            changed: entry.changed, isDone: entry.done, isDuplicate: true)
    }

    private func isSame(_ send: Send, _ entry: DedupEntry) throws(Failure) -> Bool {
        switch send.event {
        // One that became internal since is answered as it was then.
        case .decoded(let event), .internalOnly(let event, _):
            if try EventHash(event).matches(entry) { return true }
        case .undecodable, .unknownMachine, .withheld: break
        }
        guard let written = entry.written else { return false }
        return EventHash(written: send.eventText) == written
    }

    private func check(_ expect: Send.Expectation?, on found: Lookup) throws(Failure) {
        guard let expect else { return }
        let actual: Int64? =
            switch found {
            case .resident(let place): instances.residents[place].stored.version
            case .absent: nil
            }
        switch expect {
        case .version(let version) where version != actual:
            throw .versionConflict(expected: String(version), actual: actual)
        case .absent where actual != nil:
            throw .versionConflict(expected: "absent", actual: actual)
        case .exists where actual == nil:
            throw .versionConflict(expected: "exists", actual: nil)
        default: return
        }
    }

    // MARK: The event

    private mutating func applyToNew(
        _ send: Send, _ input: EventInput, in turn: Turn
    ) throws(Failure) -> Reply.Sent {
        guard let definition = catalogue[send.to.machine] else {
            throw .noSuchMachine(send.to.machine)
        }
        try requireFree(send.to)
        try requireOpen(send.to.machine)
        // The event is tried first: one that is refused creates nothing.
        let fresh: any HostedInstance
        do {
            fresh = try freshInstance(send.to, definition, at: turn.now)
        } catch {
            throw Failure(error, state: [], event: send.eventText)
        }
        if fresh.isTerminal { throw .instanceDone(send.to, version: 0) }
        let event = try decoded(input)
        var trial = fresh
        let hash = try send.dedup.map { _ throws(Failure) in try EventHash(event) }
        try step(&trial, event, initial: fresh, text: send.eventText, at: turn.now)
        try checkStep(send.eventText, beside: 0)
        let place: InstanceTable.Place
        do {
            var outcome = StepBuffer()
            swap(&outcome, &scratch)
            defer { swap(&outcome, &scratch) }
            (place, _) = try makeInstance(
                send.to, machine: fresh, definition: definition, in: turn)
        }
        instances.residents[place].restore(trial)
        return finish(send, on: place, hash, in: turn)
    }

    mutating func apply(
        _ send: Send, _ input: EventInput, to place: InstanceTable.Place, in turn: Turn
    ) throws(Failure) -> Reply.Sent {
        if instances.residents[place].stored.isDone {
            throw .instanceDone(
                send.to, version: instances.residents[place].stored.version)
        }
        try requireFree(send.to)
        let event = try decoded(input)
        try restoreMachine(at: place)
        try readEffects(at: place, in: turn)
        let hash = try send.dedup.map { _ throws(Failure) in try EventHash(event) }
        scratch.removeAll()
        let context = StepContext(
            limits: options.step, time: turn.now.milliseconds,
            version: instances.residents[place].stored.version)
        do {
            try instances.residents[place].machine?.apply(event, in: context, into: &scratch)
        } catch {
            throw Failure(
                error, state: instances.residents[place].stored.state, event: send.eventText)
        }
        do throws(Failure) {
            try checkStep(
                send.eventText, beside: instances.residents[place].stored.effectCount,
                bytes: instances.residents[place].effects?.bytes ?? 0)
        } catch {
            instances.residents[place].dropMachine()
            throw error
        }
        return finish(send, on: place, hash, in: turn)
    }

    private mutating func step(
        _ trial: inout any HostedInstance, _ event: any HostedEvent,
        initial: any HostedInstance, text: [UInt8], at now: Timestamp
    ) throws(Failure) {
        let startWork = scratch.work
        scratch.removeAll()
        defer { scratch.work += startWork }
        let context = StepContext(limits: options.step, time: now.milliseconds)
        do {
            try trial.apply(event, in: context, into: &scratch)
        } catch {
            var described = StepBuffer()
            do {
                try initial.describeInitial(into: &described)
            } catch let unwritable {
                throw Failure(unwritable, state: [], event: text)
            }
            throw Failure(error, state: described.state.bytes, event: text)
        }
    }

    func decoded(_ event: EventInput) throws(Failure) -> any HostedEvent {
        switch event {
        case .decoded(let event): return event
        case .undecodable(let error):
            throw .badEvent(path: error.path, message: error.message, expected: error.expected)
        case .internalOnly(_, let name): throw .internalEvent(name)
        case .withheld:
            preconditionFailure("what is set aside is refused before its event is looked at")
        case .unknownMachine:
            preconditionFailure("an unknown machine is refused before its event is looked at")
        }
    }

    /// Makes the step in `scratch` part of the batch. After this, nothing can be refused.
    private mutating func finish(
        _ send: Send, on place: InstanceTable.Place, _ hash: EventHash?, in turn: Turn
    ) -> Reply.Sent {
        let draft = draft
        draft.record.reset(
            sequence: head + 1, kind: .step, by: batch.by, trace: batch.cause.trace)
        return finish(send, on: place, hash, as: &draft.record, in: turn)
    }

    private mutating func finish(
        _ send: Send, on place: InstanceTable.Place, _ hash: EventHash?,
        as record: inout JournalRecord, in turn: Turn
    ) -> Reply.Sent {
        record.event = send.journalText ?? send.eventText
        record.dedup = send.dedup
        record.eventHash = hash
        let isDone = scratch.isTerminal
        record.isDone = isDone
        let result = isDone ? scratch.lastResult : nil
        instances.residents[place].stored.apply(
            &scratch.state.bytes, result: result, into: &record)
        if hash != nil { instances.residents[place].stored.hasDedup = true }
        if !scratch.effects.isEmpty, let key = send.dedup {
            batch.cause.request = String(validating: key, as: UTF8.self)
        }
        startEffects(at: place, isDone: isDone, in: turn)
        record.effects = batch.effects.removeRecords()
        // Swapped into the record and back, so that the buffer keeps its memory.
        swap(&record.outputs, &scratch.outputs)
        let before = needsStateBefore(at: place) ? scratch.state.bytes : nil
        append(&record, to: place, before: before, at: turn.now)
        swap(&record.outputs, &scratch.outputs)
        let headAfterStep = head
        if isDone { notifyParent(of: place, stopReason: nil, in: turn) }
        var sent = Reply.Sent(
            version: instances.residents[place].stored.version,
            cursor: Cursor(sequence: headAfterStep), changed: record.state != nil,
            isDone: isDone, isDuplicate: false)
        if let hash, let key = send.dedup {
            remember(
                hash, written: EventHash(written: send.eventText), key: key, sent: sent,
                number: instances.residents[place].stored.number, followsFromJournal: true)
        }
        if send.reply != .minimal {
            sent.detail = Reply.Sent.Detail(
                state: instances.residents[place].stored.state,
                outputs: send.reply == .full ? scratch.outputs : nil,
                effects: send.reply == .full ? record.effects : nil)
        }
        return sent
    }
}
