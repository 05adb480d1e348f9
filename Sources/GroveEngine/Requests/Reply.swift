public import Transducers

/// The answer to one request, as values; GroveProtocol writes it as a line.
public enum Reply: Sendable {
    /// To `send` and to a repeat of one.
    case sent(Sent)
    /// To `create`.
    indirect case created(Created)
    /// To `get`.
    indirect case got(Got)
    /// To `list`.
    case listed([ListItem], next: String?)
    /// To `history`: steps in the order of their versions, the version to go on after, and the
    /// first version that is held, where earlier ones were asked for.
    case history([JournalRecord], next: Int64?, first: Int64? = nil)
    /// To `subscribe`.
    indirect case subscribed(SubscriptionName, current: Cursor, first: Cursor)
    /// To `unsubscribe`, `credit`, and whatever has nothing more to say than that it was done.
    case done
    /// To `stop` and `delete`.
    case stopped(version: Int64, cursor: Cursor)
    /// To `suspend` and `resume`: the version of an instance, whether anything has changed, and
    /// the cursor behind the record of it.
    case held(version: Int64?, changed: Bool, cursor: Cursor)
    /// To `definitions`.
    case definitions([Hosted])
    /// To `stats`: named counters and gauges of engine and store, in a fixed order.
    case statistics([(name: String, value: Int64)])
    /// To `effects`: rows in the order of their refs, and where to go on.
    case effects([StoredEffect], next: EffectRef?)
    /// To `cancel`: the runs that were cancelled, and the cursor behind the record of it.
    case cancelled([Int64], cursor: Cursor)
    /// To `batch`: what became of each item, in order.
    case batch([BatchResult])
    /// To `can`.
    indirect case can(Can)
    /// To `describe`.
    indirect case described(Described)
    /// To `backup`.
    case backup(Backup)
    /// A refusal.
    indirect case failure(Failure)

    /// The answer to `send`.
    public struct Sent: Sendable {
        /// The instance's version after the event.
        public var version: Int64
        /// Behind all records of the step.
        public var cursor: Cursor
        /// Whether the state changed.
        public var changed: Bool
        /// Whether the instance is done.
        public var isDone: Bool
        /// Whether this answers a repeated dedup key.
        public var isDuplicate: Bool
        /// State and outputs, where the client asked for them.
        public var detail: Detail?
        /// What became of the effects that the reply waited for, in order; `nil` unless it did.
        public var settled: [EffectOutcome]?

        /// Puts the compact answer together.
        public init(
            version: Int64, cursor: Cursor, changed: Bool, isDone: Bool, isDuplicate: Bool
        ) {
            self.version = version
            self.cursor = cursor
            self.changed = changed
            self.isDone = isDone
            self.isDuplicate = isDuplicate
        }

        /// What `reply: "state"` and `"full"` add.
        public final class Detail: Sendable {
            /// The state after the event as JSON.
            public let state: [UInt8]
            /// The outputs of the step as JSON values; `nil` unless `"full"`.
            public let outputs: [JournalRecord.Output]?
            /// What happened to effects in the step, as their records have it; `nil` unless
            /// `"full"`.
            public let effects: [[UInt8]]?

            init(state: [UInt8], outputs: [JournalRecord.Output]?, effects: [[UInt8]]?) {
                self.state = state
                self.outputs = outputs
                self.effects = effects
            }
        }
    }

    /// What became of an effect that a reply waited for.
    public struct EffectOutcome: Sendable, Equatable {
        /// How it ended.
        public enum End: String, Sendable { case completed, failed, cancelled }

        /// Its run.
        public var run: Int64
        /// The instance, where it isn't the one that the event was sent to.
        public var instance: InstanceName?
        /// Its id, with its scopes.
        public var id: String?
        /// How it ended.
        public var end: End
        /// Why it failed.
        public var reason: String?
    }

    /// What became of an item of a batch.
    public enum BatchResult: Sendable {
        /// It was applied, or had been before.
        case sent(Sent)
        /// It was refused.
        indirect case failure(Failure)
    }

    /// The answer to `can`.
    public struct Can: Sendable {
        /// The state that the event would lead to, as JSON; `nil` when it would be refused.
        public var state: [UInt8]?
        /// Why it would be refused.
        public var reason: String?
        /// The events that would do, as far as the machine says.
        public var accepts: [String] = []

        /// It would be taken.
        init(state: [UInt8]) { self.state = state }

        /// It would be refused.
        init(refusal reason: String, accepts: [String]) {
            self.reason = reason
            self.accepts = accepts
        }
    }

    /// The answer to `describe`.
    public struct Described: Sendable {
        /// Name, version and hash of the machine.
        public var definition: DefinitionItem
        /// The events it takes; `nil` where they aren't known.
        public var takes: [TakenEvent]?
        /// What is known of it.
        public var machine: MachineDescription
        /// The drawing as text.
        public var diagram: String
    }

    /// The answer to `create`.
    public struct Created: Sendable {
        /// Behind all records of the creation.
        public var cursor: Cursor
        /// The initial state as JSON; `nil` in the answer to a repeat when the journal doesn't
        /// hold the creation any more.
        public var state: [UInt8]?
        /// The initial output, if there is one.
        public var outputs: [JournalRecord.Output]
        /// Whether the instance is done from the beginning.
        public var isDone: Bool
        /// Whether this answers a repeated dedup key.
        public var isDuplicate: Bool
    }

    /// The answer to `get`: one point.
    public struct Got: Sendable {
        /// The version.
        public var version: Int64
        /// The state at that version as JSON.
        public var state: [UInt8]
        /// Whether it was done then.
        public var isDone: Bool
        /// Its result as JSON, once done and if it had one.
        public var result: [UInt8]?
        /// Name, version and hash of the definition.
        public var definition: DefinitionItem
        /// Why it was stopped, if it was, somebody said so, and the journal holds it.
        public var reason: String?
        /// Its effects that have rows, at most ``Limits/effectsShownMax`` of them; empty for old
        /// versions.
        public var effects: [StoredEffect] = []
        /// Who holds it now, or its machine; `nil` for nobody, and for old versions.
        public var held: Hold.Kind?
    }

    /// One instance of a `list`.
    public struct ListItem: Sendable {
        /// Its name.
        public var name: InstanceName
        /// Its version.
        public var version: Int64
        /// Its state as JSON.
        public var state: [UInt8]
        /// Whether it is done.
        public var isDone: Bool
        /// When its last step was taken.
        public var updated: Timestamp
        /// The version of the definition that took it, where outdated ones were asked for.
        public var definitionVersion: String?
        /// How the instance itself is held.
        public var hold: Hold?
    }

    /// One definition, with the events its machine takes, where they are known.
    public struct Hosted: Sendable {
        /// Name, version and hash.
        public var definition: DefinitionItem
        /// The events; `nil` where they aren't known.
        public var takes: [TakenEvent]?

        /// Puts the two together.
        public init(definition: DefinitionItem, takes: [TakenEvent]?) {
            self.definition = definition
            self.takes = takes
        }
    }

    /// One definition.
    public struct DefinitionItem: Sendable {
        /// Its name.
        public var name: String
        /// Its version.
        public var version: String
        /// The hash of what identifies it; `nil` when the definition isn't loaded any more.
        public var hash: String?
        /// How the machine is held as a whole; said in the answer to `definitions` only.
        public var held: Hold.Kind?
    }
}

extension Reply {
    /// About how many bytes of states, outputs and pages it carries, for the windows of
    /// connections; 0 for a small one, of which a connection may have as many as requests.
    public var weight: Int {
        let bytes =
            switch self {
            case .sent(let sent): sent.detail?.bytes ?? 0
            case .batch(let results):
                results.reduce(0) { bytes, result in
                    switch result {
                    case .sent(let sent): bytes + 100 + (sent.detail?.bytes ?? 0)
                    case .failure(let failure): bytes + 100 + failure.stateBytes
                    }
                }
            case .failure(let failure): failure.stateBytes
            default: stateBytes
            }
        return bytes < Limits.smallReplyBytesMax ? 0 : bytes
    }

    /// Bytes of the states and pages it carries beyond what is written anyway.
    var stateBytes: Int {
        switch self {
        case .got(let got): got.state.count
        case .listed(let items, _): items.reduce(0) { $0 + $1.state.count + 80 }
        case .history(let steps, _, _): steps.reduce(0) { $0 + $1.textBytes }
        case .effects(let rows, _): rows.count * 400
        case .can(let can): can.state?.count ?? 0
        case .batch(let results): results.count * 100
        case .described(let described): described.diagram.utf8.count * 3
        case .definitions(let items): items.reduce(0) { $0 + ($1.takes?.count ?? 0) * 100 + 80 }
        case .backup(.chunk(_, _, let bytes)): bytes.count
        case .sent, .created, .cancelled, .subscribed, .done, .stopped, .held, .statistics,
            .backup, .failure:
            0
        }
    }
}

/// A refusal of the engine: exactly one error of the protocol, with its data.
public enum Failure: Error, Sendable {
    /// `BAD_REQUEST`: what was asked can't be asked of this machine or instance.
    case badRequest(path: String, message: String)
    /// `BAD_REQUEST`: a version past the end was asked for; `actual` is the newest.
    case versionPastEnd(asked: Int64, actual: Int64)
    /// `BAD_REQUEST`: the state of a version was asked for that isn't held any more, or that was
    /// before the instance was imported; `first` is the lowest that can be, `actual` the newest.
    case versionNotHeld(asked: Int64, first: Int64, actual: Int64)
    /// `OVERLOADED`: too much waits for the commit under way.
    case overloaded
    /// `OVERLOADED`: what is wanted can be done once at a time, and is being done.
    case busy(String)
    /// `LIMIT`: a bound that waiting doesn't lift.
    case limit(String)
    /// `NO_SUCH_MACHINE`.
    case noSuchMachine(String)
    /// `DEDUP_MISMATCH`: the key was used with another event; `version` is what it made.
    case dedupMismatch(version: Int64)
    /// `VERSION_CONFLICT`: `nil` stands for an absent instance.
    case versionConflict(expected: String, actual: Int64?)
    /// `NO_SUCH_INSTANCE`.
    case noSuchInstance(InstanceName)
    /// `ALREADY_EXISTS`, with the instance's version.
    case alreadyExists(InstanceName, version: Int64)
    /// `INSTANCE_DONE`.
    case instanceDone(InstanceName, version: Int64)
    /// `SUSPENDED` or `SET_ASIDE`: what is held, and by whom.
    case held(HoldSubject, Hold.Kind)
    /// `BAD_EVENT`.
    case badEvent(path: String, message: String, expected: String?)
    /// `INTERNAL_EVENT`: the machine has this event, but only it may send it.
    case internalEvent(String)
    /// `EVENT_REJECTED`: state and event as JSON.
    case eventRejected(reason: String, state: [UInt8], event: [UInt8], accepts: [String])
    /// `EVAL_ERROR`.
    case evaluation(String)
    /// `EVAL_LIMIT`.
    case evaluationLimit(String)
    /// `STEP_LIMIT`.
    case stepLimit(Int)
    /// `STATE_TOO_LARGE`.
    case stateTooLarge(bytes: Int, max: Int)
    /// `CURSOR_TOO_OLD`, with the oldest cursor held.
    case cursorTooOld(first: Cursor)
    /// `CURSOR_FOREIGN`, with the oldest cursor held.
    case cursorForeign(first: Cursor, why: ForeignCursor = .otherLog)
    /// `NO_SUCH_SUBSCRIPTION`.
    case noSuchSubscription
    /// `NO_SUCH_EFFECT`: it isn't there, or not in a phase in which that could be done.
    case noSuchEffect(String)
    /// `TIMEOUT`: what was waited for hasn't come in time; the event itself was applied.
    case timeout(isRepeatable: Bool)
    /// What an item of an atomic batch failed with, which nothing was applied of.
    indirect case inBatch(index: Int, Failure)
    /// `STORAGE_FULL`: nothing was written.
    case storageFull
    /// `STORAGE_ERROR`: stored bytes of this instance don't match their checksum.
    case storageCorrupt(String)
}

/// Why a cursor is none of this log.
public enum ForeignCursor: Sendable, Hashable {
    /// The text is no cursor.
    case nonsense
    /// It is one of another data file.
    case otherLog
    /// It lies ahead of everything that is stored.
    case ahead
}
