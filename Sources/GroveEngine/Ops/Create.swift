public import OrderedJSON
import Transducers

/// `create`: creates an instance in its initial state.
public struct Create: Sendable {
    public var to: InstanceName
    /// The input of the instance; `nil` for none. Only some machines take one.
    public var input: JSONValue?
    /// The client's dedup key, 1 to 200 bytes.
    public var dedup: [UInt8]?

    public init(to: InstanceName, input: JSONValue?, dedup: [UInt8]?) {
        self.to = to
        self.input = input
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
    ///
    /// - Parameter parent: The instance that starts it; `nil` for a client.
    mutating func create(
        _ create: Create, parent: InstanceStarter? = nil, in turn: Turn
    ) -> Reply {
        let outer = witness(create.to)
        defer { unwitness(outer) }
        do throws(Failure) {
            guard let definition = catalogue.definition(ofNew: create.to.machine, for: parent)
            else {
                throw Failure.noSuchMachine(create.to.machine)
            }
            if create.input != nil, !definition.machine.takesInput {
                throw Failure.badRequest(
                    path: "$.input", message: "machine \(definition.name) takes no input")
            }
            if let input = create.input, input.object == nil {
                throw Failure.badRequest(path: "$.input", message: "an input is an object")
            }
            let found = try find(create.to, in: turn)
            if case .resident(let place) = found {
                guard let known = try knownDedup(create.dedup, on: found, in: turn) else {
                    throw Failure.alreadyExists(
                        create.to, version: instances.residents[place].stored.version)
                }
                let reply = try repeatedCreation(create, known, at: place, in: turn)
                return .created(reply)
            }
            try requireFree(create.to)
            try requireOpen(create.to.machine, to: parent)
            let machine: any HostedInstance
            do {
                machine = try freshInstance(
                    create.to, definition, input: create.input, parent: parent?.name, at: turn.now)
            } catch {
                throw Failure(error, state: [], event: [])
            }
            let (place, outputs) = try makeInstance(
                create.to, machine: machine, definition: definition,
                hasDedup: create.dedup != nil, in: turn)
            let stored = instances.residents[place].stored
            let cursor = Cursor(sequence: head)
            if let key = create.dedup {
                let sent = Reply.Sent(
                    version: 0, cursor: cursor, changed: true, isDone: stored.isDone,
                    isDuplicate: false)
                remember(create.hash, key: key, sent: sent, number: stored.number)
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
        _ create: Create, _ entry: DedupEntry, at place: InstanceTable.Place, in turn: Turn
    ) throws(Failure) -> Reply.Created {
        guard create.hash.matches(entry) else {
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

extension Create {
    /// The hash of the creation under a dedup key. Without input it is that of an empty text, which
    /// no event has.
    fileprivate var hash: EventHash { EventHash(of: input?.serialized() ?? []) }
}
