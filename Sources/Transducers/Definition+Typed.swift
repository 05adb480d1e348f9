import OrderedJSON

extension Definition {
    /// Makes a definition of a pure transducer.
    ///
    /// - Parameters:
    ///   - machine: The type; its state, events and outputs are written as JSON through `Codable`.
    ///   - name: The machine's name on the wire.
    ///   - version: Its version.
    @inlinable
    public init<Machine: Transducer & InitialState & SendableMetatype>(
        _ machine: Machine.Type, named name: String, version: String
    )
    where
        Machine.State: Codable & Sendable, Machine.Event: Codable & Sendable,
        Machine.Output: Encodable & Sendable
    {
        self.init(
            machine, named: name, version: version,
            update: { (try Machine.update(&$0, event: $1), []) })
    }

    /// Makes a definition of a pure transducer without outputs.
    @inlinable
    public init<Machine: Transducer & InitialState & SendableMetatype>(
        _ machine: Machine.Type, named name: String, version: String
    )
    where
        Machine.State: Codable & Sendable, Machine.Event: Codable & Sendable,
        Machine.Output == Void
    {
        self.init(
            silent: machine, named: name, version: version,
            update: { (try Machine.update(&$0, event: $1), []) })
    }

    /// Makes a definition of a transducer whose `update` returns an effect.
    @inlinable
    public init<Machine: EffectTransducer & InitialState & SendableMetatype>(
        _ machine: Machine.Type, named name: String, version: String
    )
    where
        Machine.State: Codable & Sendable, Machine.Event: Codable & Sendable,
        Machine.Output == Void, Machine.TransducerOutput == Effect<Machine>?
    {
        self.init(
            silent: machine, named: name, version: version,
            update: { ((), (try Machine.update(&$0, event: $1)).immediateEvents()) })
    }

    /// Makes a definition of a transducer whose `update` returns an effect and an output.
    @inlinable
    public init<Machine: EffectTransducer & InitialState & SendableMetatype>(
        _ machine: Machine.Type, named name: String, version: String
    )
    where
        Machine.State: Codable & Sendable, Machine.Event: Codable & Sendable,
        Machine.Output: Encodable & Sendable,
        Machine.TransducerOutput == (Effect<Machine>?, Machine.Output)
    {
        self.init(
            machine, named: name, version: version,
            update: {
                let (effect, output) = try Machine.update(&$0, event: $1)
                return (output, effect.immediateEvents())
            })
    }

    // MARK: The common form

    @inlinable
    init<Machine: InitialState & SendableMetatype>(
        _ machine: Machine.Type, named name: String, version: String,
        update:
            @escaping @Sendable (inout Machine.State, Machine.Event) throws -> (
                Machine.Output, [Machine.Event]
            )
    )
    where
        Machine.State: Codable & Sendable, Machine.Event: Codable & Sendable,
        Machine.Output: Encodable & Sendable
    {
        let traits = OutputTraits(Machine.Output.self)
        self.init(
            machine, named: name, version: version,
            apply: { (state, event, limits, step) throws(StepFailure) in
                try TypedStep.run(
                    &state, TypedEvent.read(event), limits: limits, into: &step, update: update,
                    emit: { (output, step) throws(StepFailure) in
                        try TypedStep.write(output: output, traits: traits, into: &step)
                    })
            },
            describeInitial: { (state, step) throws(StepFailure) in
                if let output = Machine.initialOutput(initialState: state) {
                    try TypedStep.write(output: output, traits: traits, into: &step)
                }
                try TypedStep.write(state: state, limit: .max, into: &step)
            })
    }

    @inlinable
    init<Machine: InitialState & SendableMetatype>(
        silent machine: Machine.Type, named name: String, version: String,
        update:
            @escaping @Sendable (inout Machine.State, Machine.Event) throws -> (
                Void, [Machine.Event]
            )
    )
    where
        Machine.State: Codable & Sendable, Machine.Event: Codable & Sendable,
        Machine.Output == Void
    {
        self.init(
            machine, named: name, version: version,
            apply: { (state, event, limits, step) throws(StepFailure) in
                try TypedStep.run(
                    &state, TypedEvent.read(event), limits: limits, into: &step, update: update,
                    emit: { (_, _) throws(StepFailure) in })
            },
            describeInitial: { (state, step) throws(StepFailure) in
                try TypedStep.write(state: state, limit: .max, into: &step)
            })
    }

    @usableFromInline
    init<Machine: InitialState & SendableMetatype>(
        _ machine: Machine.Type, named name: String, version: String,
        apply:
            @escaping @Sendable (
                inout Machine.State, any HostedEvent, StepLimits, inout StepBuffer
            ) throws(StepFailure) -> Void,
        describeInitial:
            @escaping @Sendable (Machine.State, inout StepBuffer) throws(StepFailure) -> Void
    )
    where
        Machine.State: Codable & Sendable, Machine.Event: Codable & Sendable,
        Machine.Output: Sendable
    {
        self.init(
            name: name, version: version, stateHasNames: JSONCoding.isEnum(Machine.State.self),
            machine: TypedMachine<Machine>(apply: apply, describeInitial: describeInitial))
    }
}

extension Optional {
    /// The events an effect applies within the step, in order.
    @inlinable
    func immediateEvents<Machine>() -> [Machine.Event] where Wrapped == Effect<Machine> {
        guard let kinds = self?.kinds else { return [] }
        return kinds.map { kind in
            switch kind {
            case .event(let event): event
            }
        }
    }
}
