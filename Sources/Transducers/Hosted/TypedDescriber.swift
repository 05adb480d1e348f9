import OrderedJSON

/// Describes a Swift transducer by its own description, by the examples it declares, or by the
/// cases of its types.
struct TypedDescriber<Machine: RunnableTransducer & InitialState & SendableMetatype>:
    MachineDescriber
where
    Machine.State: Codable & Sendable, Machine.Event: Codable & Sendable,
    Machine.Output: Sendable
{
    let machine: TypedMachine<Machine>
    let naming: StateNaming

    func describe(in state: [UInt8]?) -> MachineDescription {
        if let machine = Machine.self as? any SelfDescribingTransducer.Type {
            return Self.ownDescription(of: machine, in: state)
        }
        let samples = Self.samples
        var description = MachineDescription()
        description.activate(state.flatMap(stateName))
        for event in samples.events {
            let name = Self.name(of: event)
            description.add(event: name)
            var writer = JSONWriter()
            // What can't be written can't be sent either, and is no example.
            if (try? JSONCoding.encode(event, into: &writer)) != nil {
                description.add(example: writer.bytes, ofEvent: name)
            }
        }
        guard !samples.events.isEmpty else {
            // The states there are can be listed all the same.
            for state in samples.states { add(state, to: &description) }
            return description
        }
        tryAll(samples, &description)
        return description
    }

    func stateName(_ json: [UInt8]) -> String? { naming.name(of: json) }

    private static func ownDescription<Described: SelfDescribingTransducer>(
        of machine: Described.Type, in json: [UInt8]?
    ) -> MachineDescription {
        var description = Described.description(from: Machine.initialState as? Described.State)
        // A state that can't be read any more isn't shown as active.
        if let json, let state = try? StoredState<Machine>.read(json, from: nil, by: "") {
            description.activate(initialOf: Described.description(from: state as? Described.State))
        }
        return description
    }

    // MARK: Names

    private static func name<Value: Encodable>(of value: Value) -> String {
        var writer = JSONWriter()
        // What can't be written has the name that Swift gives it.
        guard (try? JSONCoding.encode(value, into: &writer)) != nil else { return "\(value)" }
        if JSONCoding.isEnum(Value.self), let name = CaseName.read(writer.bytes) { return name }
        return text(of: writer)
    }

    private static func text(of writer: JSONWriter) -> String {
        let text = String(decoding: writer.bytes.prefix(nameBytesMax), as: UTF8.self)
        return writer.bytes.count > nameBytesMax ? text + "…" : text
    }

    private func name(ofState state: Machine.State) -> String {
        if let described = Machine.self as? any DescribedTransducer.Type,
            let name = StateNaming.name(of: state, by: described)
        {
            return name
        }
        var writer = JSONWriter()
        // What can't be written has the name that Swift gives it.
        guard (try? JSONCoding.encode(state, into: &writer)) != nil else { return "\(state)" }
        return naming.name(of: writer.bytes) ?? Self.text(of: writer)
    }

    // MARK: Samples

    private typealias Samples = (states: [Machine.State], events: [Machine.Event])

    private static var samples: Samples {
        if let described = Machine.self as? any DescribedTransducer.Type {
            return samples(of: described)
        }
        guard JSONCoding.isEnum(Machine.State.self) else { return ([], []) }
        return (cases(of: Machine.State.self), cases(of: Machine.Event.self))
    }

    private static func samples<Described: DescribedTransducer>(
        of machine: Described.Type
    ) -> Samples {
        (
            Described.sampleStates.compactMap { $0 as? Machine.State },
            Described.sampleEvents.compactMap { $0 as? Machine.Event }
        )
    }

    private static func cases<Value>(of type: Value.Type) -> [Value] {
        func all<Cases: CaseIterable>(_ type: Cases.Type) -> [Value] {
            type.allCases.compactMap { $0 as? Value }
        }
        return (type as? any CaseIterable.Type).map { all($0) } ?? []
    }

    // MARK: Trying

    private func add(_ state: Machine.State, to description: inout MachineDescription) {
        description.add(state: name(ofState: state), isTerminal: state.isTerminal)
    }

    /// Applies every event in every state, breadth first; of found states with one name, the first
    /// one stands for all.
    private func tryAll(_ samples: Samples, _ description: inout MachineDescription) {
        let initial = Machine.initialState
        description.add(
            state: name(ofState: initial), isTerminal: initial.isTerminal, isInitial: true)
        for state in samples.states { add(state, to: &description) }
        var tried: Set<String> = []
        var waiting = [initial] + samples.states
        var next = 0
        var tries = 0
        while next < waiting.count, tries < MachineDescription.triesMax {
            let state = waiting[next]
            next += 1
            let from = name(ofState: state)
            // Examples that were declared are all tried, and stand for no other state.
            let isDeclared = (2..<samples.states.count + 2).contains(next)
            guard !state.isTerminal, isDeclared || tried.insert(from).inserted else { continue }
            for event in samples.events where tries < MachineDescription.triesMax {
                tries += 1
                guard let after = outcome(of: event, in: state) else { continue }
                let to = name(ofState: after)
                description.add(state: to, isTerminal: after.isTerminal)
                description.add(from: from, event: Self.name(of: event), to: to)
                if !tried.contains(to) { waiting.append(after) }
            }
        }
    }

    /// The state that an event leads to with all that it causes at once, or `nil` where it is
    /// refused.
    private func outcome(of event: Machine.Event, in state: Machine.State) -> Machine.State? {
        var after = state
        var step = StepBuffer()
        let limits = StepLimits(
            immediateEvents: 1_000, outputs: 1_000, outputBytes: 1 << 20, stateBytes: 1 << 20)
        // A step that fails leads nowhere, whatever the reason.
        guard (try? machine.apply(&after, TypedEvent(event), limits, &step)) != nil else {
            return nil
        }
        return after
    }
}
