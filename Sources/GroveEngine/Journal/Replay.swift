import OrderedJSON
import Transducers

/// Takes the journal's events through the machines once more, and compares what comes of them
/// with what was stored.
///
/// The server never does this: a state is stored whole, and is the truth. A divergence needn't be
/// damage. The machine may have had other code when the step was taken.
public struct Replay {
    /// Where a machine of today doesn't do what the journal tells.
    public struct Divergence: Sendable, Equatable {
        /// The journal step.
        public let sequence: JournalPosition
        /// The instance.
        public let instance: InstanceName
        /// The version that the step made.
        public let version: Int64
        /// What differs, without any payload.
        public let what: String
    }

    /// Instances that are followed, with their states as the journal has them.
    private struct Followed {
        var machine: any HostedInstance
        var state: [UInt8]
        /// The version of the definition that has written the state.
        var version: String
    }

    private let catalogue: Catalogue
    private let limits: StepLimits
    private var followed: [InstanceNumber: Followed] = [:]
    private var scratch = StepBuffer()

    /// Events that were replayed.
    public private(set) var steps: Int64 = 0

    /// Events that weren't: of machines that aren't hosted, of instances whose beginning isn't in
    /// the journal or can't be read there without the version that has written it, which old
    /// files don't tell, and those behind an instance's first divergence.
    public private(set) var skipped: Int64 = 0

    /// A replay by the machines of a catalogue.
    public init(catalogue: Catalogue, options: EngineOptions = EngineOptions()) {
        self.catalogue = catalogue
        limits = options.step
    }

    func definition(of name: InstanceName) -> Definition? { catalogue[name.machine] }

    func definition(named name: String) -> Definition? { catalogue[name] }

    /// Takes the next step of the journal; what differs, if something does. Takes memory for each
    /// instance that isn't stopped.
    public mutating func take(_ record: JournalRecord) -> Divergence? {
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
        guard let definition = catalogue[name.machine], let state = record.state else {
            return
        }
        let machine = definition.machine
        let version = record.definitionVersion ?? definition.version
        do {
            let restored = try machine.restoreInstance(state: state, from: version)
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

    private func isInitial(
        _ state: [UInt8], of machine: any HostedMachine
    ) throws(StepFailure) -> Bool {
        try written(machine.makeInstance()) == state
    }

    /// The state of an instance as its machine writes it today.
    private func written(_ instance: any HostedInstance) throws(StepFailure) -> [UInt8] {
        var step = StepBuffer()
        try instance.describeInitial(into: &step)
        return step.state.bytes
    }

    /// Whether a state is what the journal tells, as the machine of today reads that.
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
            let definition = record.name.flatMap({ catalogue[$0.machine] })
        else {
            skipped += 1
            return
        }
        steps += 1
        try apply(event, to: &instance.machine, of: definition.machine)
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
        _ text: [UInt8], to instance: inout any HostedInstance, of machine: any HostedMachine
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
            try instance.apply(event, limits: limits, into: &scratch)
        } catch {
            throw Difference(what: "the event is refused")
        }
    }
}
