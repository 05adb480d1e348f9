import GroveAccess
import OrderedJSON
public import Transducers

extension Reply {
    /// The answer to `describe`.
    public struct Described: Sendable {
        public var definition: DefinitionItem
        /// The accepted events; `nil` if they aren't known.
        public var takes: [TakenEvent]?
        public var machine: MachineDescription
        /// The machine's states and transitions.
        public var drawing: StateDiagram
        /// The drawing in the language that was asked for.
        public var diagram: String

        init(
            _ definition: Definition, _ machine: MachineDescription, as format: Describe.Format
        ) {
            var machine = machine
            machine.add(definition.takes ?? [], states: definition.naming.known ?? [])
            self.definition = DefinitionItem(definition)
            self.machine = machine
            takes = definition.takes
            drawing = machine.diagram
            diagram = format == .dot ? drawing.dot : drawing.mermaid
        }
    }

    /// The answer to `describe` for a machine as data, which is still to be made. It takes up to
    /// some tens of milliseconds, so a server lets another thread do it.
    public struct Describing: Sendable {
        let definition: Definition
        let describer: any MachineDescriber
        /// The state of the instance, as it was when the request was applied.
        let state: [UInt8]?
        let format: Describe.Format

        /// The answer.
        public var described: Described {
            Described(definition, describer.describe(in: state), as: format)
        }
    }
}

/// `describe`: states, events and transitions of a machine.
public struct Describe: Sendable {
    /// The format of the drawing.
    public enum Format: Sendable { case mermaid, dot }

    /// The machine, or an instance: then its own version of the machine is described, and the
    /// drawing shows its active states.
    public var subject: HoldSubject
    public var format: Format

    public init(_ subject: HoldSubject, format: Format) {
        self.subject = subject
        self.format = format
    }
}

extension Engine {
    /// `describe`: the machine's description, and the transitions in the newest steps. That of a
    /// machine as data is made later.
    ///
    /// - Parameter caller: Who asks. What they may not read is as if it didn't exist.
    mutating func describe(_ query: Describe, for caller: Caller, in turn: Turn) -> Reply {
        do throws(Failure) {
            try requireVisible(query.subject, to: caller)
            let (definition, state) = try self.subject(of: query, in: turn)
            let describer = usableDescriber(of: definition)
            batch.descriptions += 1
            if let describer, describer.readsDataOnly {
                return .describing(
                    Reply.Describing(
                        definition: definition, describer: describer, state: state,
                        format: query.format))
            }
            var machine = described(definition, by: describer, in: state)
            if let describer = definition.describer, !machine.isComplete {
                try observe(definition.name, describer, into: &machine, in: turn)
            }
            return .described(Reply.Described(definition, machine, as: query.format))
        } catch {
            return .failure(error)
        }
    }

    private mutating func requireVisible(
        _ subject: HoldSubject, to caller: Caller
    ) throws(Failure) {
        let filter = ReadFilter(access.subject(of: caller.principal))
        switch subject {
        case .machine(let name):
            guard filter.includes(name) else { throw .noSuchMachine(name) }
        case .instance(let name):
            guard filter.includes(name) else { throw .noSuchInstance(name) }
        }
    }

    /// Counts a description that is made outside of the engine, until it ends.
    public mutating func beginDescription(of connection: ConnectionID) {
        descriptions.begin(of: connection)
    }

    /// Ends a description that was made outside, so that its connection may ask for another one.
    public mutating func endDescription(of connection: ConnectionID) {
        descriptions.end(of: connection)
    }

    /// The definition, and the state of an instance as JSON.
    private mutating func subject(
        of query: Describe, in turn: Turn
    ) throws(Failure) -> (Definition, state: [UInt8]?) {
        switch query.subject {
        case .machine(let name):
            guard let definition = catalogue[name] else { throw .noSuchMachine(name) }
            return (definition, nil)
        case .instance(let name):
            let stored = try self.stored(try find(name, in: turn), name: name)
            guard let definition = catalogue.definition(of: stored) else {
                throw .noSuchMachine(name.machine)
            }
            // The code of the machine isn't run with a state that has ended the process.
            return (definition, holds.hasTrapped(name) ? nil : stored.state)
        }
    }

    /// What describes a machine; `nil` if its code has ended the process.
    private func usableDescriber(of definition: Definition) -> (any MachineDescriber)? {
        let hasTrapped = holds[.machine(definition.name)]?.hasTrapped == true
        return hasTrapped || undescribed.contains(definition.name) ? nil : definition.describer
    }

    /// The description by the machine's code, which tries events; empty without a describer.
    private mutating func described(
        _ definition: Definition, by describer: (any MachineDescriber)?, in state: [UInt8]?
    ) -> MachineDescription {
        guard let describer, let all = InstanceName(allOf: definition.name) else {
            return MachineDescription()
        }
        let outer = witness(all)
        defer { unwitness(outer) }
        return describer.describe(in: state)
    }

    /// Adds the transitions in the newest committed steps of a machine's instances.
    private mutating func observe(
        _ name: String, _ describer: any MachineDescriber,
        into machine: inout MachineDescription, in turn: Turn
    ) throws(Failure) {
        let steps = try reading { () throws(StoreError) in try Self.newestSteps(in: turn.store) }
        let reader = JournalReader(store: turn.store)
        var states: [InstanceNumber: (version: Int64, name: String?)] = [:]
        var lookups = Limits.describedLookupsMax
        for step in steps {
            guard let instance = step.name, instance.machine == name, step.makesVersion else {
                continue
            }
            // Steps may be missing between two that are looked at.
            var from = states[step.number].flatMap {
                $0.version == step.version - 1 ? $0.name : nil
            }
            if from == nil, step.kind == .step, lookups > 0 {
                lookups -= 1
                let before = try reading { () throws(StoreError) in
                    // An earlier step may not be held any more.
                    do throws(StoreError) {
                        return try reader.state(before: step)
                    } catch .corrupt {
                        return nil
                    }
                }
                from = before.flatMap {
                    observedName(of: $0, instance, describer)
                }
            }
            // A step without a state hasn't changed it.
            let to =
                step.state.flatMap {
                    observedName(of: $0, instance, describer)
                } ?? from
            states[step.number] = (step.version, to)
            if step.kind == .created, let to { machine.observe(initial: to) }
            guard let event = step.event.flatMap(CaseName.read), let to else { continue }
            machine.observe(from: from, event: event, to: to, isTerminal: step.isDone)
        }
    }

    /// The name of a state in the journal, without the machine's code if its instance was set
    /// aside.
    private mutating func observedName(
        of state: [UInt8], _ instance: InstanceName, _ describer: any MachineDescriber
    ) -> String? {
        if holds.hasTrapped(instance) {
            return catalogue[instance.machine]?.naming.writtenName(of: state)
        }
        let outer = witness(instance)
        defer { unwitness(outer) }
        return describer.stateName(state)
    }

    /// The newest steps in order, as many as are looked at.
    private static func newestSteps(
        in store: any Store
    ) throws(StoreError) -> [JournalRecord] {
        var steps: [JournalRecord] = []
        var bytes = 0
        var end = store.head
        let begin = max(store.first - 1, store.head - Int64(Limits.describedStepsMax))
        // From the back, so that the newest are seen if there are too many bytes.
        while end > begin, bytes < Limits.describedBytesMax {
            let start = max(begin, end - Int64(Limits.describedStepsPerRead))
            let part = try store.records(
                after: start, limit: Int(end - start), bytes: Limits.describedBytesMax)
            bytes += part.reduce(0) { $0 + $1.textBytes }
            steps = part + steps
            end = start
        }
        return steps
    }
}
