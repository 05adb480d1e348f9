import Transducers

/// `create`: creates an instance in its initial state.
public struct Create: Sendable {
    public var to: InstanceName
    /// Whether the client gave an input. No machine accepts one yet: such a request is refused.
    public var hasInput: Bool
    /// The client's dedup key, 1 to 200 bytes.
    public var dedup: [UInt8]?

    public init(to: InstanceName, hasInput: Bool, dedup: [UInt8]?) {
        self.to = to
        self.hasInput = hasInput
        self.dedup = dedup
    }
}

extension Reply {
    /// The answer to `create`.
    public struct Created: Sendable {
        /// The cursor after the last record of the creation.
        public var cursor: Cursor
        /// The initial state as JSON; `nil` in the answer to a repeat when the journal doesn't
        /// hold the creation any more.
        public var state: [UInt8]?
        public var outputs: [JournalRecord.Output]
        public var isDone: Bool
        /// Whether this answers a repeated dedup key.
        public var isDuplicate: Bool
    }
}

extension Engine {
    /// `create`: creates an instance in its initial state, with version 0.
    mutating func create(_ create: Create, in turn: Turn) -> Reply {
        let outer = witness(create.to)
        defer { unwitness(outer) }
        do throws(Failure) {
            guard let definition = catalogue[create.to.machine] else {
                throw Failure.noSuchMachine(create.to.machine)
            }
            if create.hasInput {
                throw Failure.badRequest(
                    path: "$.input", message: "machine \(definition.name) takes no input")
            }
            let found = try find(create.to, in: turn)
            if case .resident(let place) = found {
                guard let known = try knownDedup(create.dedup, on: found, in: turn) else {
                    throw Failure.alreadyExists(
                        create.to, version: instances.residents[place].stored.version)
                }
                let reply = try repeatedCreation(known, at: place, in: turn)
                return .created(reply)
            }
            try requireFree(create.to)
            let machine: any HostedInstance
            do {
                machine = try definition.machine.makeInstance()
            } catch {
                throw Failure(error, state: [], event: [])
            }
            let (place, outputs) = try makeInstance(
                create.to, machine: machine, definition: definition,
                hasDedup: create.dedup != nil, at: turn.now)
            let stored = instances.residents[place].stored
            let cursor = Cursor(sequence: head)
            if let key = create.dedup {
                let sent = Reply.Sent(
                    version: 0, cursor: cursor, changed: true, isDone: stored.isDone,
                    isDuplicate: false)
                remember(EventHash.creation, key: key, sent: sent, number: stored.number)
            }
            return .created(
                Reply.Created(
                    cursor: cursor, state: stored.state, outputs: outputs,
                    isDone: stored.isDone, isDuplicate: false))
        } catch {
            return .failure(error)
        }
    }

    /// The first reply, if this same `create` created the instance.
    private mutating func repeatedCreation(
        _ entry: DedupEntry, at place: InstanceTable.Place, in turn: Turn
    ) throws(Failure) -> Reply.Created {
        guard EventHash.creation.matches(entry) else {
            throw .dedupMismatch(version: entry.version)
        }
        let first = try creation(of: instances.residents[place].stored, in: turn)
        return Reply.Created(
            cursor: Cursor(sequence: entry.sequence), state: first.state, outputs: first.outputs,
            isDone: entry.done, isDuplicate: true)
    }

    /// Initial state and output of an instance, as far as they are held; also of one that this
    /// batch created.
    private mutating func creation(
        of stored: StoredInstance, in turn: Turn
    ) throws(Failure) -> (state: [UInt8]?, outputs: [JournalRecord.Output]) {
        let reader = JournalReader(store: turn.store, pending: batch.writes)
        let record = try reading { () throws(StoreError) in
            try reader.held(stored.origin, of: stored.name)
        }
        return (record?.state, record?.outputs ?? [])
    }
}

extension EventHash {
    /// The hash of a creation under a dedup key; no event's text is empty.
    static let creation = EventHash(of: [])
}
