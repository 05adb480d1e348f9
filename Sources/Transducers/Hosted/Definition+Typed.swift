import OrderedJSON

extension Definition {
    /// Makes a definition of a transducer.
    ///
    /// - Parameters:
    ///   - machine: The type; its state, events and outputs are written as JSON through `Codable`.
    ///   - name: The machine's name on the wire.
    ///   - version: Its version.
    ///   - handlers: The handlers that its effects ask for: a server that lacks one refuses to
    ///     start. One that isn't named here and not there is found when a step asks for it, which
    ///     is then refused.
    ///   - env: Makes the environment of each closure of its effects. Not needed where that
    ///     is `Void`, and where the machine asks for no closures.
    @inlinable
    public init<Machine: RunnableTransducer & InitialState & SendableMetatype>(
        _ machine: Machine.Type, named name: String, version: String, handlers: [String] = [],
        env: (@Sendable () -> Machine.Env)? = nil
    )
    where
        Machine.State: Codable & Sendable, Machine.Event: Codable & Sendable,
        Machine.Output: Encodable & Sendable
    {
        let traits = OutputTraits(Machine.Output.self)
        let env = HostedEnv(orVoid: env)
        self.init(
            machine, named: name, version: version, handlers: handlers, env: env,
            apply: { (state, event, limits, step) throws(StepFailure) in
                try TypedStep.run(
                    machine, &state, TypedEvent.read(event), env: env, limits: limits,
                    into: &step,
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

    /// Makes a definition of a transducer without outputs.
    ///
    /// - Parameters: As those of the one with outputs.
    @inlinable
    public init<Machine: RunnableTransducer & InitialState & SendableMetatype>(
        _ machine: Machine.Type, named name: String, version: String, handlers: [String] = [],
        env: (@Sendable () -> Machine.Env)? = nil
    )
    where
        Machine.State: Codable & Sendable, Machine.Event: Codable & Sendable,
        Machine.Output == Void
    {
        let env = HostedEnv(orVoid: env)
        self.init(
            machine, named: name, version: version, handlers: handlers, env: env,
            apply: { (state, event, limits, step) throws(StepFailure) in
                try TypedStep.run(
                    machine, &state, TypedEvent.read(event), env: env, limits: limits,
                    into: &step,
                    emit: { (_, _) throws(StepFailure) in })
            },
            describeInitial: { (state, step) throws(StepFailure) in
                try TypedStep.write(state: state, limit: .max, into: &step)
            })
    }

    @usableFromInline
    init<Machine: RunnableTransducer & InitialState & SendableMetatype>(
        _ machine: Machine.Type, named name: String, version: String, handlers: [String],
        env: HostedEnv<Machine.Env>?,
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
        let internalEvents = Set(Machine.internalEvents)
        let events = JSONCoding.cases(of: Machine.Event.self)
        let naming = StateNaming(of: Machine.self, version: version)
        let typed = TypedMachine<Machine>(
            version: version, env: env,
            eventsText: TakenEvent.all(events, internal: internalEvents).flatMap(TakenEvent.choice),
            apply: apply, describeInitial: describeInitial)
        self.init(
            name: name, version: version, naming: naming, handlers: handlers,
            internalEvents: internalEvents, events: events,
            states: JSONCoding.cases(of: Machine.State.self), machine: typed,
            describer: TypedDescriber(machine: typed, naming: naming),
            refusedName: { Machine.refusedName(of: TypedEvent.read($0)) })
    }
}
