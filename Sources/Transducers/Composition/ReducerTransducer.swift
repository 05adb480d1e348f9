/// A machine that is a reducer: it runs and is hosted like any other.
///
///     enum App: ReducerTransducer {
///         struct State: NonTerminal { var counter = Counter.State() }
///         enum Event { case counter(Counter.Event) }
///         static let reducer = Reducer(Counter.self).scoped(
///             to: App.self, state: .at(\.counter), event: CasePath(Event.counter),
///             scope: "counter")
///     }
///
/// A machine has one output per step, and its reducers may have several or none: ``merge(_:)``
/// makes one of them. It has a default for an `Output` that is `Void` (the default), an array (all
/// in order) or an optional (the last one).
public protocol ReducerTransducer: RunnableTransducer, SendableMetatype
where Effect == TransducerEffect<Self>, State: SendableMetatype {
    associatedtype Output = Void
    associatedtype Env = Void

    /// The machine's steps. Best a `static let`: a computed property makes one per event.
    static var reducer: Reducer<Self> { get }

    /// The output of a step with these outputs, in order.
    static func merge(_ outputs: [Output]) -> Output
}

extension ReducerTransducer {
    /// The reducer's step.
    ///
    /// - Throws: The errors of reducers.
    @inlinable
    public static func step(
        _ state: inout State, _ event: Event
    ) throws -> (TransducerEffect<Self>?, Output) {
        let (effect, outputs) = try reducer(&state, event)
        return (effect.isEmpty ? nil : effect, merge(outputs))
    }

    /// The reducer's event.
    public static func effectFailed(_ failure: EffectFailure) -> Event? {
        reducer.effectFailed(failure)
    }

    /// The reducer's event.
    public static func effectResult(_ result: EffectResult) throws -> Event? {
        try reducer.effectResult(result)
    }

    /// The internal events of machines that are reducers, after the name of their case here.
    public static func internalName(of event: Event) -> String? {
        reducer.internalName(of: event)
    }
}

extension ReducerTransducer where Output == Void {
    /// No output.
    @inlinable
    public static func merge(_ outputs: [Output]) {}
}

extension ReducerTransducer where Output: RangeReplaceableCollection {
    /// All outputs in order.
    @inlinable
    public static func merge(_ outputs: [Output]) -> Output {
        outputs.reduce(into: Output()) { $0.append(contentsOf: $1) }
    }
}

extension ReducerTransducer where Output: ExpressibleByNilLiteral {
    /// The last output.
    @inlinable
    public static func merge(_ outputs: [Output]) -> Output { outputs.last ?? nil }
}
