import OrderedJSON
import Transducers

/// `get`: reads one instance at one version.
public struct Get: Sendable {
    public var to: InstanceName
    /// The version; `nil` for the newest.
    public var at: Int64?
    /// Whether the reply names the active states.
    public var wantsStates: Bool

    public init(to: InstanceName, at: Int64?, wantsStates: Bool = false) {
        self.to = to
        self.at = at
        self.wantsStates = wantsStates
    }
}

extension Reply {
    /// The answer to `get`: one point.
    public struct Got: Sendable {
        public var version: Int64
        /// The state at that version as JSON.
        public var state: [UInt8]
        public var isDone: Bool
        /// Its result as JSON, once done and if it had one.
        public var result: [UInt8]?
        public var definition: DefinitionItem
        /// The reason in the `stop`, if there is one and the journal holds it.
        public var reason: String?
        /// Its effects that have rows, at most ``Limits/effectsShownMax`` of them; empty for old
        /// versions.
        public var effects: [StoredEffect] = []
        /// The names of its active states, if the request asked for them and states have names.
        public var activeStates: [String]?
        /// The hold on it or its machine; `nil` for none, and for old versions.
        public var held: Hold.Kind?
    }
}

extension Engine {
    /// `get`: state and version of one point.
    mutating func get(_ get: Get, in turn: Turn) -> Reply {
        do throws(Failure) {
            let found = try find(get.to, in: turn)
            let stored = try self.stored(found, name: get.to)
            guard let version = get.at, version != stored.version else {
                var got = Reply.Got(stored, in: catalogue)
                got.reason = try stopReason(of: stored, in: turn)
                if let (subject, hold) = holds.holding(get.to) {
                    got.held = hold.kind
                    batch.rely(on: holds.isPending(subject))
                }
                if case .resident(let place) = found {
                    try readEffects(at: place, in: turn)
                    got.effects = shownEffects(at: place)
                }
                if get.wantsStates { got.activeStates = activeStates(of: stored) }
                return .got(got)
            }
            guard (0..<stored.version).contains(version) else {
                throw Failure.versionPastEnd(asked: version, actual: stored.version)
            }
            let reader = JournalReader(store: turn.store, pending: batch.writes)
            var got = Reply.Got(stored, in: catalogue)
            got.version = version
            got.isDone = false
            got.result = nil
            let state = try reading { () throws(StoreError) in
                try reader.state(ofVersion: version, of: stored)
            }
            guard let state else {
                let first = try reading { () throws(StoreError) in
                    try reader.firstVersion(of: stored)
                }
                throw Failure.versionNotHeld(
                    asked: version, first: first, actual: stored.version)
            }
            got.state = state
            if get.wantsStates {
                var earlier = stored
                earlier.state = state
                got.activeStates = activeStates(of: earlier)
            }
            return .got(got)
        } catch {
            return .failure(error)
        }
    }

    /// The reason in the `stop`, which is among the instance's newest steps. `nil` without a stop
    /// or a reason, or when the step was removed.
    mutating func stopReason(of stored: StoredInstance, in turn: Turn) throws(Failure) -> String? {
        guard stored.isDone, stored.result == Array(Self.stoppedResult.utf8) else { return nil }
        let reader = JournalReader(store: turn.store, pending: batch.writes)
        return try reading { () throws(StoreError) in
            var record = try reader.held(stored.newest, of: stored.name)
            // Only records of effects that were running can follow it.
            for _ in 0..<Limits.stopSearchStepsMax {
                guard let step = record, step.kind != .stopped else { break }
                record = try reader.before(step)
            }
            return record?.kind == .stopped ? record?.reason : nil
        }
    }

    /// The result of an instance that was stopped, as JSON.
    static let stoppedResult = #""stopped""#

    /// The effects of an instance that `get` shows, as far as they are in memory.
    func shownEffects(at place: InstanceTable.Place) -> [StoredEffect] {
        guard let effects = instances.residents[place].effects else { return [] }
        var room = Limits.pageBytesMax
        var shown: [StoredEffect] = []
        for row in effects.sorted where row.body.run != nil {
            room -= row.shownBytes
            guard room > 0, shown.count < Limits.effectsShownMax else { break }
            shown.append(row)
        }
        return shown
    }

    /// The snapshot of an instance that must exist.
    func stored(_ found: Lookup, name: InstanceName) throws(Failure) -> StoredInstance {
        switch found {
        case .resident(let place): return instances.residents[place].stored
        case .absent:
            if catalogue[name.machine] == nil { throw .noSuchMachine(name.machine) }
            throw .noSuchInstance(name)
        }
    }
}

extension Reply.Got {
    init(_ stored: StoredInstance, in catalogue: Catalogue) {
        let definition = catalogue.definition(of: stored)
        // A definition of another version may be loaded by now: its hash isn't this one's.
        let isLoaded = definition?.version == stored.definitionVersion
        self.init(
            version: stored.version, state: stored.state, isDone: stored.isDone,
            result: stored.result,
            definition: Reply.DefinitionItem(
                name: stored.name.machine, version: stored.definitionVersion,
                hash: isLoaded ? definition?.hash : nil))
    }
}
