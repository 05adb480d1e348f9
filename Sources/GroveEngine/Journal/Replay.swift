import OrderedJSON
public import Transducers

/// Applies the journal's events again, and compares the results with the stored ones. It does so
/// with the machines that stored them, as far as they are there, or tries other ones.
///
/// The server never does this: a state is stored whole, and is the truth. A divergence needn't be
/// damage: the machine's code may have changed since.
public struct Replay {
    private let catalogue: Catalogue
    /// The machines that are tried in the place of those that stored the steps, by name; `nil` if
    /// none are.
    private let tried: [String: Definition]?
    private let limits: StepLimits
    private var followed: [InstanceNumber: ReplayedInstance] = [:]
    private var scratch = StepBuffer()

    public private(set) var steps: Int64 = 0

    /// Events that weren't replayed: of machines that aren't there, of instances whose beginning
    /// isn't in the journal or can't be decoded there without its definition's version, which old
    /// files don't have, and after a divergence that ended an instance's replay.
    public private(set) var skipped: Int64 = 0

    /// The instances that aren't replayed, or not to their end, in a replay that tries other
    /// machines.
    public private(set) var obstacles: [InstanceNumber: Obstacle] = [:]

    /// The instances that have a divergence which ended their replay, while others are tried.
    private var lost: Set<InstanceNumber> = []

    /// Creates a replay with the machines that stored the steps: a compiled machine's present
    /// version, and each version of a machine as data. An instance's replay ends with its first
    /// divergence.
    public init(catalogue: Catalogue, options: EngineOptions = EngineOptions()) {
        self.catalogue = catalogue
        tried = nil
        limits = options.step
    }

    /// Creates a replay that tries other machines, whichever versions stored the steps. It
    /// continues after a divergence, and divergences have their evidence.
    ///
    /// - Parameters:
    ///   - tried: The machines, each with another name. Others aren't replayed.
    ///   - catalogue: The machines that stored the steps, as far as they are there: they read
    ///     stored states for the others.
    public init(
        trying tried: [Definition], over catalogue: Catalogue,
        options: EngineOptions = EngineOptions()
    ) {
        self.catalogue = catalogue
        self.tried = Dictionary(tried.map { ($0.name, $0) }) { first, _ in first }
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

    /// The definition that applies the events of an instance.
    private func definition(applying name: String, storedBy version: String?) -> Definition? {
        if let tried { return tried[name] }
        guard let present = catalogue[name] else { return nil }
        return catalogue.definition(named: name, version: version ?? present.version)
    }

    /// Replays the next step; returns its divergence, if there is one. Needs memory for each
    /// instance that isn't stopped.
    ///
    /// - Parameter parent: The full name of the instance that started this one, which steps don't
    ///   name; counts with the creation.
    public mutating func replay(
        _ record: JournalRecord, parent: String? = nil
    ) -> Divergence? {
        guard let name = record.name else { return nil }
        let divergence: Divergence?
        switch record.kind {
        case .created: divergence = begin(record, name, parent)
        case .step: divergence = step(record, name)
        case .stopped:
            followed[record.number] = nil
            divergence = nil
        case .effect, .suspended, .resumed, .setAside, .deleted, .erased: divergence = nil
        }
        if let divergence, tried == nil || divergence.parts.contains(.unreadable) {
            followed[record.number] = nil
            if tried != nil { lost.insert(record.number) }
        }
        return divergence
    }

    /// Notes why an instance isn't replayed.
    private mutating func note(_ obstacle: Obstacle, _ number: InstanceNumber) {
        guard tried != nil, obstacles[number] == nil, !lost.contains(number) else { return }
        obstacles[number] = obstacle
    }

    // MARK: The beginning

    private mutating func begin(
        _ record: JournalRecord, _ name: InstanceName, _ parent: String?
    ) -> Divergence? {
        guard let state = record.state,
            let definition = definition(
                applying: name.machine, storedBy: record.definitionVersion)
        else {
            note(.noMachine, record.number)
            return nil
        }
        let identity = InstanceIdentity(
            name: name.text, number: record.number.value, parent: parent)
        let version = record.definitionVersion ?? definition.version
        let former = catalogue.definition(named: name.machine, version: version)
        guard canRead(version, former, for: definition) else {
            note(.noVersion, record.number)
            return nil
        }
        // A machine that can't begin hasn't begun in this state.
        if tried != nil, record.version == 0, definition.isFixed, let former,
            (try? create(former, identity, at: record))?.state == state
        {
            return beginAnew(record, name, identity, definition, former)
        }
        let restored: ReplayedInstance
        do throws(StepFailure) {
            restored = try ReplayedInstance(
                identity, definition, state: state, from: version, of: former,
                in: context(of: record))
        } catch {
            // It may be of an earlier version, which isn't known.
            guard record.definitionVersion != nil else {
                note(.unknownVersion, record.number)
                return nil
            }
            return unreadable(record, name, error)
        }
        followed[record.number] = restored
        // The input of a creation isn't stored, and may have been anything. An imported instance
        // begins in any state; one that was created, in the initial one.
        guard record.version == 0, !definition.machine.takesInput, !record.outputs.isEmpty,
            let begun = try? create(definition, identity, at: record),
            begun.state != (try? restored.written())
        else { return nil }
        if tried != nil { followed[record.number]?.machine = begun.machine }
        var divergence = Divergence(
            sequence: record.sequence, instance: name, version: record.version, parts: .state,
            what: "the machine begins in another state")
        if tried != nil { divergence.evidence = Evidence(stored: state, other: begun.state) }
        return divergence
    }

    /// Whether a state of a version can be read for a machine: one as data takes the version itself
    /// for that, which may have been pruned.
    private func canRead(
        _ version: String, _ former: Definition?, for definition: Definition
    ) -> Bool {
        former != nil || !definition.isFixed || version == definition.version
    }

    /// A new instance, with what it begins with.
    private typealias Begun = (
        machine: any HostedInstance, state: [UInt8], outputs: [JournalRecord.Output]
    )

    /// Creates an instance without input.
    private func create(
        _ definition: Definition, _ identity: InstanceIdentity, at record: JournalRecord
    ) throws(StepFailure) -> Begun {
        var step = StepBuffer()
        let machine = try definition.machine.makeInstance(
            identity, input: nil, in: context(of: record))
        try machine.describeInitial(into: &step)
        return (machine, step.state.bytes, step.outputs)
    }

    /// Creates an instance that was created without input, as the other machine does.
    private mutating func beginAnew(
        _ record: JournalRecord, _ name: InstanceName, _ identity: InstanceIdentity,
        _ definition: Definition, _ former: Definition
    ) -> Divergence? {
        let begun: Begun
        do throws(StepFailure) {
            begun = try create(definition, identity, at: record)
        } catch {
            return unreadable(record, name, error, "the machine can't begin")
        }
        let state = record.state ?? []
        // A state that the other version can't take over is followed as it was stored.
        let restored = try? ReplayedInstance(
            identity, definition, state: state, from: former.version, of: former,
            in: context(of: record))
        var instance =
            restored
            ?? ReplayedInstance(identity, begun.machine, state: state, from: former.version)
        instance.machine = begun.machine
        followed[record.number] = record.isDone ? nil : instance
        var parts: Divergence.Parts = []
        if !instance.isSame(begun.state, to: definition, of: former, in: context(of: record)) {
            parts.insert(.state)
        }
        if begun.outputs != record.outputs { parts.insert(.outputs) }
        if begun.machine.isTerminal != record.isDone { parts.insert(.end) }
        guard !parts.isEmpty else { return nil }
        let isState = parts != .outputs
        return Divergence(
            sequence: record.sequence, instance: name, version: record.version, parts: parts,
            what: isState ? "the machine begins in another state" : "other outputs",
            evidence: Evidence(
                stored: isState ? state : record.outputs.json,
                other: isState ? begun.state : begun.outputs.json))
    }

    private func unreadable(
        _ record: JournalRecord, _ name: InstanceName, _ failure: StepFailure,
        _ what: String = "the state can't be read"
    ) -> Divergence {
        Divergence(
            sequence: record.sequence, instance: name, version: record.version,
            parts: .unreadable, what: "\(what): \(failure.reason)",
            evidence: tried == nil
                ? nil : Evidence(event: record.event, stored: record.state ?? [], other: nil))
    }

    private func context(of record: JournalRecord) -> StepContext {
        StepContext(
            limits: limits, time: record.at.milliseconds, version: record.versionBefore)
    }

    // MARK: Steps

    private mutating func step(_ record: JournalRecord, _ name: InstanceName) -> Divergence? {
        guard var instance = followed[record.number], let event = record.event else {
            skipped += 1
            note(.noBeginning, record.number)
            return nil
        }
        if let version = record.definitionVersion { instance.version = version }
        if let state = record.state { instance.state = state }
        let former = catalogue.definition(named: name.machine, version: instance.version)
        guard let definition = definition(applying: name.machine, storedBy: instance.version),
            canRead(instance.version, former, for: definition)
        else {
            // What comes after it can't follow from what was before.
            followed[record.number] = nil
            skipped += 1
            note(.noVersion, record.number)
            return nil
        }
        steps += 1
        let context = context(of: record)
        if MigrationEvent.isOne(event) {
            return restart(instance, record, name, definition, former)
        }
        let refusal = instance.apply(
            event, by: definition.machine, in: context, into: &scratch)
        var parts: Divergence.Parts = refusal == nil ? [] : .refusal
        // What can't be written is the same as no other state.
        let state = refusal == nil ? scratch.state.bytes : (try? instance.written()) ?? []
        if !instance.isSame(state, to: definition, of: former, in: context) {
            parts.insert(.state)
        }
        if refusal == nil, scratch.outputs != record.outputs { parts.insert(.outputs) }
        if instance.machine.isTerminal != record.isDone { parts.insert(.end) }
        followed[record.number] = record.isDone ? nil : instance
        guard !parts.isEmpty else { return nil }
        return divergence(record, name, parts, refusal, instance.state, state)
    }

    /// After a migration the machine continues from the migrated state: no machine can repeat what
    /// people have planned.
    private mutating func restart(
        _ instance: ReplayedInstance, _ record: JournalRecord, _ name: InstanceName,
        _ definition: Definition, _ former: Definition?
    ) -> Divergence? {
        do throws(StepFailure) {
            followed[record.number] = try ReplayedInstance(
                instance.identity, definition, state: instance.state, from: instance.version,
                of: former, in: context(of: record))
            return nil
        } catch {
            return unreadable(record, name, error)
        }
    }

    private func divergence(
        _ record: JournalRecord, _ name: InstanceName, _ parts: Divergence.Parts,
        _ refusal: (what: String, reason: String?)?, _ stored: [UInt8], _ state: [UInt8]
    ) -> Divergence {
        let end = record.isDone ? "the instance isn't done" : "the instance is done"
        var divergence = Divergence(
            sequence: record.sequence, instance: name, version: record.version, parts: parts,
            what: refusal?.what
                ?? (parts.contains(.state)
                    ? "another state" : parts.contains(.outputs) ? "other outputs" : end))
        guard tried != nil else { return divergence }
        divergence.reason = refusal?.reason
        let isAboutOutputs = refusal == nil && !parts.contains(.state) && parts.contains(.outputs)
        divergence.evidence = Evidence(
            event: record.event, stored: isAboutOutputs ? record.outputs.json : stored,
            other: isAboutOutputs ? scratch.outputs.json : state)
        return divergence
    }
}
