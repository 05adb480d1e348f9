import OrderedJSON
import Transducers

/// Applies the journal's events again with the present machines, and compares the results with the
/// stored ones.
///
/// The server never does this: a state is stored whole, and is the truth. A divergence needn't be
/// damage: the machine's code may have changed since.
public struct Replay {
    /// A difference between a present machine and the journal.
    public struct Divergence: Sendable, Equatable {
        public let sequence: JournalPosition
        public let instance: InstanceName
        public let version: Int64
        /// The difference, without any payload.
        public let what: String
    }

    /// An instance that is replayed, with its state in the journal.
    private struct Followed {
        var machine: any HostedInstance
        var state: [UInt8]
        /// The version of the definition that stored the state.
        var version: String
    }

    private let catalogue: Catalogue
    private let limits: StepLimits
    private var followed: [InstanceNumber: Followed] = [:]
    private var scratch = StepBuffer()

    public private(set) var steps: Int64 = 0

    /// Events that weren't replayed: of machines that aren't hosted, after an instance's first
    /// divergence, and of instances whose beginning isn't in the journal or can't be decoded there
    /// without its definition's version, which old files don't have.
    public private(set) var skipped: Int64 = 0

    public init(catalogue: Catalogue, options: EngineOptions = EngineOptions()) {
        self.catalogue = catalogue
        limits = options.step
    }

    func definition(of stored: StoredInstance) -> Definition? {
        catalogue.definition(of: stored)
    }

    func definition(named name: String) -> Definition? { catalogue[name] }

    /// The definition that reads an event for a machine: the owner's, if it is for itself.
    func definition(ofEventFor machine: String, _ owner: StoredInstance) -> Definition? {
        machine == owner.name.machine ? definition(of: owner) : definition(named: machine)
    }

    /// Replays the next step; returns its divergence, if there is one. Needs memory for each
    /// instance that isn't stopped.
    public mutating func replay(_ record: JournalRecord) -> Divergence? {
        guard let name = record.name else { return nil }
        do throws(Difference) {
            switch record.kind {
            case .created: try begin(record, name)
            case .step: try step(record)
            case .stopped: followed[record.number] = nil
            case .effect, .suspended, .resumed, .setAside, .deleted, .erased: break
            }
            return nil
        } catch {
            followed[record.number] = nil
            return Divergence(
                sequence: record.sequence, instance: name, version: record.version,
                what: error.what)
        }
    }

    private struct Difference: Error {
        let what: String
    }

    private mutating func begin(
        _ record: JournalRecord, _ name: InstanceName
    ) throws(Difference) {
        guard let present = catalogue[name.machine], let state = record.state else {
            return
        }
        let version = record.definitionVersion ?? present.version
        guard let definition = catalogue.definition(named: name.machine, version: version) else {
            return
        }
        let machine = definition.machine
        // The input of a creation isn't stored, and may have been anything.
        if machine.takesInput, record.version == 0 {
            return try follow(record, name, definition, state, version)
        }
        do {
            let identity = record.identity(name)
            let restored = try machine.restoreInstance(identity, state: state, from: version)
            followed[record.number] = Followed(
                machine: restored, state: state, version: version)
            if record.version == 0, try isInitial(written(restored), of: machine) { return }
        } catch {
            // It may be of an earlier version, which isn't known.
            guard record.definitionVersion != nil else { return }
            throw Difference(what: "the state can't be read: \(error.reason)")
        }
        // An imported instance begins in any state; one that was created, in the initial one.
        if record.version == 0, !record.outputs.isEmpty {
            throw Difference(what: "the machine begins in another state")
        }
    }

    private mutating func follow(
        _ record: JournalRecord, _ name: InstanceName, _ definition: Definition,
        _ state: [UInt8], _ version: String
    ) throws(Difference) {
        do {
            let restored = try definition.machine.restoreInstance(
                record.identity(name), state: state, from: version)
            followed[record.number] = Followed(machine: restored, state: state, version: version)
        } catch {
            throw Difference(what: "the state can't be read: \(error.reason)")
        }
    }

    private func isInitial(
        _ state: [UInt8], of machine: any HostedMachine
    ) throws(StepFailure) -> Bool {
        try written(machine.makeInstance()) == state
    }

    /// The state of an instance, encoded by its present machine.
    private func written(_ instance: any HostedInstance) throws(StepFailure) -> [UInt8] {
        var step = StepBuffer()
        try instance.describeInitial(into: &step)
        return step.state.bytes
    }

    /// Whether a state equals the journal's, as the present machine decodes that.
    private func isSame(
        _ state: [UInt8], as stored: Followed, of definition: Definition
    ) -> Bool {
        if state == stored.state, stored.version == definition.version { return true }
        // One that can't be read is another one.
        guard
            let restored = try? definition.machine.restoreInstance(
                state: stored.state, from: stored.version)
        else { return false }
        return (try? written(restored)) == state
    }

    private mutating func step(_ record: JournalRecord) throws(Difference) {
        guard var instance = followed[record.number], let event = record.event,
            let name = record.name,
            let definition = catalogue.definition(
                named: name.machine, version: record.definitionVersion ?? instance.version)
        else {
            skipped += 1
            return
        }
        steps += 1
        if MigrationEvent.isOne(event) {
            guard let state = record.state else { return }
            return try follow(record, name, definition, state, definition.version)
        }
        let context = StepContext(
            limits: limits, time: record.at.milliseconds, version: record.version - 1)
        try apply(event, to: &instance.machine, of: definition.machine, in: context)
        if let state = record.state { instance.state = state }
        if let version = record.definitionVersion { instance.version = version }
        guard isSame(scratch.state.bytes, as: instance, of: definition) else {
            throw Difference(what: "another state")
        }
        if scratch.outputs != record.outputs { throw Difference(what: "other outputs") }
        if scratch.isTerminal != record.isDone {
            throw Difference(
                what: record.isDone ? "the instance isn't done" : "the instance is done")
        }
        followed[record.number] = record.isDone ? nil : instance
    }

    private mutating func apply(
        _ text: [UInt8], to instance: inout any HostedInstance, of machine: any HostedMachine,
        in context: StepContext
    ) throws(Difference) {
        let event: any HostedEvent
        do {
            let document = try JSONDocument(parsing: text, limits: .stored)
            do {
                event = try machine.decodeEvent(document, at: document.root)
            } catch {
                // The machine may say what becomes of it.
                event = try machine.decodeEvent(try JSONValue(parsing: text, limits: .stored))
            }
        } catch {
            throw Difference(what: "the event can't be read")
        }
        scratch.removeAll()
        do {
            try instance.apply(event, in: context, into: &scratch)
        } catch {
            throw Difference(what: "the event is refused")
        }
    }
}

extension JournalRecord {
    /// What a machine knows of the instance, without its parent, which steps don't name.
    fileprivate func identity(_ name: InstanceName) -> InstanceIdentity {
        InstanceIdentity(name: name.text, number: number.value, parent: nil)
    }
}
