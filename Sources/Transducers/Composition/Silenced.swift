public import OrderedJSON

/// A machine without its outputs: for parts of a hosted machine whose output is `Void`, or not
/// needed. Hosts write outputs as JSON, and `Void` isn't JSON.
///
///     typealias Both = Parallel<Counter, Silenced<Blinker>, EndsWithFirst>
public enum Silenced<Machine: RunnableTransducer & SendableMetatype>: RunnableTransducer {
    /// The machine's.
    public typealias State = Machine.State
    /// The machine's.
    public typealias Event = Machine.Event
    /// None.
    public typealias Output = NoOutput
    /// The machine's, as this one's.
    public typealias Effect = TransducerEffect<Self>
    /// The machine's.
    public typealias Env = Machine.Env
    /// The machine's.
    public typealias Proxy = Machine.Proxy

    /// As the machine's.
    @inlinable
    public static func step(
        _ state: inout State, _ event: Event
    ) throws -> (TransducerEffect<Self>?, NoOutput) {
        let (effect, _) = try Machine.step(&state, event)
        return (effect?.embedded(in: Self.self, event: { $0 }, env: { $0 }), NoOutput())
    }

    /// As the machine's.
    public static func effectFailed(_ failure: EffectFailure) -> Event? {
        Machine.effectFailed(failure)
    }

    /// As the machine's.
    public static func resume(_ state: State) -> TransducerEffect<Self>? {
        Machine.resume(state)?.embedded(in: Self.self, event: { $0 }, env: { $0 })
    }

    /// As the machine's.
    public static func effectResult(_ result: EffectResult) throws -> Event? {
        try Machine.effectResult(result)
    }

    /// As the machine's.
    public static func migrate(state: JSONValue, from version: String) throws -> JSONValue {
        try Machine.migrate(state: state, from: version)
    }

    /// As the machine's.
    public static func migrate(event: JSONValue) throws -> JSONValue {
        try Machine.migrate(event: event)
    }

    /// As the machine's.
    public static var internalEvents: [String] { Machine.internalEvents }

    /// As the machine's.
    public static func internalName(of event: Event) -> String? { Machine.internalName(of: event) }
}

extension Silenced: InitialState where Machine: InitialState {
    /// As the machine's.
    public static var initialState: State { Machine.initialState }
}
