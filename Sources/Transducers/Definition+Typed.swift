public import OrderedJSON

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
            name: name, version: version,
            machine: TypedMachine<Machine>(
                update: { (try Machine.update(&$0, event: $1), []) },
                encodeOutput: { (output, writer) throws(JSONEncodingError) in
                    try JSONCoding.encode(output, into: &writer)
                }))
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
            name: name, version: version,
            machine: TypedMachine<Machine>(
                update: { (try Machine.update(&$0, event: $1), []) }, encodeOutput: nil))
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
            name: name, version: version,
            machine: TypedMachine<Machine>(
                update: { ((), (try Machine.update(&$0, event: $1)).immediateEvents()) },
                encodeOutput: nil))
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
            name: name, version: version,
            machine: TypedMachine<Machine>(
                update: {
                    let (effect, output) = try Machine.update(&$0, event: $1)
                    return (output, effect.immediateEvents())
                },
                encodeOutput: { (output, writer) throws(JSONEncodingError) in
                    try JSONCoding.encode(output, into: &writer)
                }))
    }

    @inlinable
    init<Machine: InitialState & SendableMetatype>(
        name: String, version: String, machine: TypedMachine<Machine>
    ) {
        self.init(
            name: name, version: version, stateHasNames: JSONCoding.isEnum(Machine.State.self),
            machine: machine)
    }
}

extension Optional {
    /// The events an effect applies within the step, in order.
    @inlinable
    func immediateEvents<Machine>() -> [Machine.Event]
    where Wrapped == Effect<Machine> {
        (self?.kinds ?? []).map { kind in
            switch kind {
            case .event(let event): event
            }
        }
    }
}
