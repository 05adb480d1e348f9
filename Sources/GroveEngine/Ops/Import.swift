import OrderedJSON
import Transducers

/// `import`: creates an instance in a given state, at a given version.
public struct Import: Sendable {
    public var to: InstanceName
    /// Its first version.
    public var version: Int64
    /// Its state, JSON.
    public var state: [UInt8]
    /// The version of the machine's definition that has stored the state; `nil` for a state that
    /// is given whole, as the machine of today writes it.
    public var definitionVersion: String?
    /// Whether it is done, also in a state that isn't terminal: it was stopped.
    public var isDone: Bool
    /// Its result, JSON; only of one that is done.
    public var result: [UInt8]?
    /// The client's dedup key, 1 to 200 bytes.
    public var dedup: [UInt8]?
    /// Whether everything is checked and nothing done.
    public var isTrial: Bool

    public init(
        to: InstanceName, version: Int64, state: [UInt8], definitionVersion: String? = nil,
        isDone: Bool = false, result: [UInt8]? = nil, dedup: [UInt8]? = nil,
        isTrial: Bool = false
    ) {
        self.to = to
        self.version = version
        self.state = state
        self.definitionVersion = definitionVersion
        self.isDone = isDone
        self.result = result
        self.dedup = dedup
        self.isTrial = isTrial
    }
}

extension Engine {
    /// `import`: creates the instance, or finds it unchanged.
    mutating func importInstance(_ item: Import, in turn: Turn) -> Reply {
        let outer = witness(item.to)
        defer { unwitness(outer) }
        do throws(Failure) {
            // Its state may be what ends the process.
            if holds.hasTrapped(item.to) { try requireFree(item.to) }
            let definition = try definition(for: item)
            let machine = try checked(item, definition)
            // What the machine makes of the state, so that it is written as all states are.
            let state = scratch.state.bytes.compact
            let isDone = item.isDone || machine.isTerminal
            let hash = item.hash(state: state, isDone: isDone)
            let written = EventHash(written: item.state).map {
                item.hash(state: Array("\($0.high) \($0.low)".utf8), isDone: item.isDone)
            }
            let found = try find(item.to, in: turn)
            if let known = try knownDedup(item.dedup, on: found, in: turn) {
                return .sent(try repeated(hash, written, known))
            }
            if case .resident(let place) = found {
                let stored = instances.residents[place].stored
                let sent = try unchanged(item, stored, isSame: (state, isDone))
                return .sent(sent)
            }
            var sent = Reply.Sent(
                version: item.version, cursor: Cursor(sequence: head), changed: true,
                isDone: isDone, isDuplicate: false)
            if item.isTrial { return .sent(sent) }
            insert(item, machine, definition, state: state, isDone: isDone, at: turn.now)
            sent.cursor = Cursor(sequence: head)
            if let key = item.dedup {
                remember(hash, written: written, key: key, sent: sent, number: batch.lastNumber)
            }
            return .sent(sent)
        } catch {
            return .failure(error)
        }
    }

    /// The definition that reads the state: of a machine as data, the version that stored it.
    private func definition(for item: Import) throws(Failure) -> Definition {
        guard let present = catalogue[item.to.machine] else {
            throw .noSuchMachine(item.to.machine)
        }
        if present.machine.soleStarter != nil { try requireOpen(item.to.machine) }
        let version = item.definitionVersion ?? present.version
        guard
            let definition = catalogue.definition(named: item.to.machine, version: version)
        else {
            throw .badRequest(
                path: "$.definition.version",
                message: "version \(version.prefixOfBytes(64)) of machine \(present.name) isn't "
                    + "loaded: define it first")
        }
        return definition
    }

    /// The machine in the given state, which `scratch` then holds as the machine writes it.
    private mutating func checked(
        _ item: Import, _ definition: Definition
    ) throws(Failure) -> any HostedInstance {
        if let version = item.definitionVersion,
            definition.version.isEarlierVersion(than: version)
        {
            throw .badRequest(
                path: "$.definition.version",
                message: "the state was stored by version \(version.prefixOfBytes(64)) of machine "
                    + "\(definition.name), and this server has the earlier \(definition.version)")
        }
        scratch.removeAll()
        let machine: any HostedInstance
        do {
            let identity = InstanceIdentity(
                name: item.to.text, number: batch.lastNumber.value + 1, parent: nil)
            machine = try definition.machine.restoreInstance(
                identity, state: item.state, from: item.definitionVersion)
            try machine.describeInitial(into: &scratch)
        } catch {
            throw .badRequest(
                path: "$.state",
                message: "machine \(definition.name) has no such state: \(error.reason)")
        }
        let bytes = scratch.state.bytes.count
        guard bytes <= options.step.stateBytes else {
            throw .stateTooLarge(bytes: bytes, max: options.step.stateBytes)
        }
        if item.result != nil, !item.isDone {
            throw .badRequest(path: "$.result", message: "only a done instance has a result")
        }
        return machine
    }

    /// The answer to a repeat: the first one. It is the same to the machine of today, or as it
    /// was written.
    private func repeated(
        _ hash: EventHash, _ written: EventHash?, _ entry: DedupEntry
    ) throws(Failure) -> Reply.Sent {
        let isWrittenSame = entry.written != nil && entry.written == written
        guard hash.matches(entry) || isWrittenSame else {
            throw .dedupMismatch(version: entry.version)
        }
        return Reply.Sent(
            version: entry.version, cursor: Cursor(sequence: entry.sequence), changed: true,
            isDone: entry.done, isDuplicate: true)
    }

    /// The answer to the same once more: that nothing has changed.
    private func unchanged(
        _ item: Import, _ stored: StoredInstance,
        isSame wanted: (state: [UInt8], isDone: Bool)
    ) throws(Failure) -> Reply.Sent {
        guard stored.version == item.version, stored.isDone == wanted.isDone,
            stored.state == wanted.state || rewritten(stored) == wanted.state
        else { throw .alreadyExists(item.to, version: stored.version) }
        return Reply.Sent(
            version: stored.version, cursor: Cursor(sequence: stored.newest), changed: false,
            isDone: stored.isDone, isDuplicate: false)
    }

    /// A state stored by another version of the machine, as the present one encodes it; `nil` if it
    /// can't be decoded.
    private func rewritten(_ stored: StoredInstance) -> [UInt8]? {
        guard let definition = catalogue.definition(of: stored),
            definition.version != stored.definitionVersion,
            let machine = try? definition.machine.restoreInstance(
                stored.identity, state: stored.state, from: stored.definitionVersion)
        else { return nil }
        var step = StepBuffer()
        guard (try? machine.describeInitial(into: &step)) != nil else { return nil }
        return step.state.bytes
    }

    private mutating func insert(
        _ item: Import, _ machine: any HostedInstance, _ definition: Definition, state: [UInt8],
        isDone: Bool, at now: Timestamp
    ) {
        batch.lastNumber.value += 1
        var stored = StoredInstance(number: batch.lastNumber, name: item.to)
        stored.definitionVersion = definition.version
        pages.noteUse(of: definition.version, by: item.to.machine)
        stored.version = item.version
        stored.created = now
        stored.state = state
        stored.isDone = isDone
        stored.result = item.result
        stored.hasDedup = item.dedup != nil
        var record = newRecord(.created)
        record.state = state
        record.isDone = isDone
        record.definitionVersion = definition.version
        batch.deleted.remove(item.to)
        var resident = Resident(stored: stored, machine: machine)
        resident.isNew = true
        let place = instances.insert(resident)
        append(&record, to: place, before: nil, at: now)
    }
}

extension Import {
    /// The hash that recognizes a repeat under the same key; no event's text begins like this.
    fileprivate func hash(state: [UInt8], isDone: Bool) -> EventHash {
        var bytes = Array("import \(version) \(isDone) ".utf8)
        bytes += state
        bytes.append(0)
        bytes += result ?? []
        return EventHash(of: bytes)
    }
}
