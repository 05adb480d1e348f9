public import OrderedJSON
import Transducers

/// `migrate`: gives an instance of a machine as data another version of its definition.
public struct Migrate: Sendable {
    public var to: InstanceName
    /// The version; `nil` for the present one.
    public var version: String?
    /// The change of states and context; `nil` for what the definition says.
    public var plan: JSONValue?
    /// Whether everything is tried and nothing done.
    public var isTrial: Bool

    public init(
        to: InstanceName, version: String? = nil, plan: JSONValue? = nil, isTrial: Bool = false
    ) {
        self.to = to
        self.version = version
        self.plan = plan
        self.isTrial = isTrial
    }
}

extension Reply {
    /// The answer to `migrate`.
    public struct Migrated: Sendable {
        public var version: Int64
        public var cursor: Cursor
        public var changed: Bool
        public var state: [UInt8]
        public var definition: DefinitionItem
        /// The names of effects that start.
        public var starts: [String] = []
        /// The names of effects that are canceled.
        public var stops: [String] = []
        /// The names of effects that continue under other names.
        public var renames: [Rename] = []
        /// The former states in the request's plan that the former version doesn't have.
        public var unknown: [String] = []

        /// An effect that continues.
        public struct Rename: Sendable, Equatable {
            public var from: String
            public var to: String
        }
    }
}

extension Reply.Migrated {
    /// Lists what happens to effects, by their names.
    ///
    /// - Parameter live: The effects that there are: others can't be canceled or renamed.
    fileprivate mutating func name(_ effects: [HostedEffect], of live: InstanceEffects?) {
        func exists(_ name: String) -> Bool {
            live?.numbers(named: name).contains { live?[$0]?.body.phase.isInLedger == true }
                ?? false
        }
        for effect in effects {
            switch effect {
            case .start(let run): if let name = run.key.text { starts.append(name) }
            case .cancel(let selector):
                if case .id(let id) = selector.choice, exists(id) { stops.append(id) }
            case .rename(let list):
                for rename in list {
                    if let from = rename.from.text, let to = rename.to.text, exists(from) {
                        renames.append(Rename(from: from, to: to))
                    }
                }
            case .event, .updateQueue, .sequence, .all, .log: break
            }
        }
    }
}

extension Engine {
    /// `migrate`: one step of the instance, with the state that the new version makes of the old.
    mutating func migrate(_ migrate: Migrate, in turn: Turn) -> Reply {
        do throws(Failure) {
            let found = try find(migrate.to, in: turn)
            let stored = try self.stored(found, name: migrate.to)
            guard case .resident(let place) = found else {
                preconditionFailure("an instance that is there is resident")
            }
            let target = try target(of: migrate)
            if stored.isDone { throw Failure.instanceDone(migrate.to, version: stored.version) }
            try requireFree(migrate.to)
            let item = Reply.DefinitionItem(target)
            guard stored.definitionVersion != target.version else {
                return .migrated(
                    Reply.Migrated(
                        version: stored.version, cursor: Cursor(sequence: stored.newest),
                        changed: false, state: stored.state, definition: item))
            }
            let former = try definition(of: stored)
            try readEffects(at: place, in: turn)
            scratch.removeAll()
            let machine: any HostedInstance
            do {
                machine = try target.machine.migrate(
                    stored.identity, state: stored.state, of: former.machine, plan: migrate.plan,
                    in: context(of: stored, at: turn.now), into: &scratch)
            } catch {
                throw Failure(error, state: stored.state, event: [])
            }
            let text = MigrationEvent.text(from: stored.definitionVersion, to: target.version)
            try checkStep(
                text, beside: stored.effectCount,
                bytes: instances.residents[place].effects?.bytes ?? 0)
            var reply = Reply.Migrated(
                version: stored.version, cursor: Cursor(sequence: stored.newest),
                changed: false, state: scratch.state.bytes.compact, definition: item)
            reply.name(scratch.effects, of: instances.residents[place].effects)
            if let plan = migrate.plan { reply.unknown = former.machine.unknownStates(in: plan) }
            if !migrate.isTrial {
                finishMigration(text, machine, target.version, at: place, in: turn)
                let changed = instances.residents[place].stored
                reply.version = changed.version
                reply.cursor = Cursor(sequence: head)
                reply.changed = true
                reply.state = changed.state
            }
            return .migrated(reply)
        } catch {
            return .failure(error)
        }
    }

    /// The definition of the new version.
    private func target(of migrate: Migrate) throws(Failure) -> Definition {
        guard let present = catalogue[migrate.to.machine] else {
            throw .noSuchMachine(migrate.to.machine)
        }
        guard present.isFixed else {
            throw .badRequest(
                path: "$.to",
                message:
                    "machine \(present.name) is compiled into the server, and converts states of "
                    + "earlier versions by itself")
        }
        let version = migrate.version ?? present.version
        guard let target = catalogue.definition(named: present.name, version: version) else {
            throw .badRequest(
                path: "$.version",
                message: "machine \(present.name) has no version \(version.prefixOfBytes(64)): "
                    + EnumCase.choice(catalogue.versions(of: present.name).sorted()))
        }
        return target
    }

    /// Makes the step in `scratch` part of the batch. After this, nothing can be refused.
    private mutating func finishMigration(
        _ text: [UInt8], _ machine: any HostedInstance, _ version: String,
        at place: InstanceTable.Place, in turn: Turn
    ) {
        var record = newRecord(.step)
        record.event = text
        record.definitionVersion = version
        instances.residents[place].stored.definitionVersion = version
        pages.noteUse(of: version, by: instances.residents[place].stored.name.machine)
        instances.residents[place].hasNewDefinition = false
        instances.residents[place].restore(machine)
        let before = instances.residents[place].stored.state
        instances.residents[place].stored.apply(&scratch.state.bytes, result: nil, into: &record)
        startEffects(at: place, isDone: false, in: turn)
        record.effects = batch.effects.removeRecords()
        append(
            &record, to: place, before: needsStateBefore(at: place) ? before : nil, at: turn.now)
    }
}
