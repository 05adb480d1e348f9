/// The step of a machine as a value: reducers combine to larger ones.
///
///     static let reducer = Reducer.combine(
///         Counter.reducer.scoped(
///             to: App.self, state: .at(\.counter), event: CasePath(Event.counter),
///             scope: "counter"),
///         Reducer { state, event in
///             if case .counter = event { state.clicks += 1 }
///             return .empty
///         })
///
/// Reducers form a monoid: ``empty`` does nothing, `combine` runs all of its reducers from left to
/// right, each on the state that the one before has left. A machine that is a reducer is a
/// ``ReducerTransducer``. `Machine` may be any set of types (``BaseTransducer``).
public struct Reducer<Machine: BaseTransducer & SendableMetatype>: Sendable
where Machine.State: SendableMetatype {
    /// Applies an event: changes the state, and returns the effect and the outputs.
    @usableFromInline
    typealias Body =
        @Sendable (
            inout Machine.State, Machine.Event
        ) throws -> (TransducerEffect<Machine>, [Machine.Output])

    @usableFromInline let body: Body
    /// The event for an effect's failure.
    @usableFromInline let failureEvent: @Sendable (EffectFailure) -> Machine.Event?
    /// The event for an effect's result.
    @usableFromInline let resultEvent: @Sendable (EffectResult) throws -> Machine.Event?
    /// The name of an internal event.
    @usableFromInline let internalName: @Sendable (Machine.Event) -> String?

    @inlinable
    init(
        body: @escaping Body,
        failureEvent: @escaping @Sendable (EffectFailure) -> Machine.Event? = { _ in nil },
        resultEvent: @escaping @Sendable (EffectResult) throws -> Machine.Event? = {
            try $0.ownEvent(as: Machine.Event.self)
        },
        internalName: @escaping @Sendable (Machine.Event) -> String? = { _ in nil }
    ) {
        self.body = body
        self.failureEvent = failureEvent
        self.resultEvent = resultEvent
        self.internalName = internalName
    }

    /// A reducer without outputs.
    ///
    /// `reduce` must depend on its arguments only: no clock, no randomness, no I/O. It throws
    /// ``Rejection`` to refuse an event, and with it the whole step.
    @inlinable
    public init(
        _ reduce:
            @escaping @Sendable (
                inout Machine.State, Machine.Event
            ) throws -> TransducerEffect<Machine>
    ) {
        self.init(body: { state, event in (try reduce(&state, event), []) })
    }

    /// A reducer with an output for each event; `nil` for none this time.
    ///
    /// - Parameter reduce: As that of the reducer without outputs.
    @inlinable
    public static func withOutput(
        _ reduce:
            @escaping @Sendable (
                inout Machine.State, Machine.Event
            ) throws -> (TransducerEffect<Machine>, Machine.Output?)
    ) -> Reducer {
        Reducer(body: { state, event in
            let (effect, output) = try reduce(&state, event)
            return (effect, output.map { [$0] } ?? [])
        })
    }

    /// Applies an event.
    ///
    /// - Returns: The effect, and the outputs in order.
    /// - Throws: The errors of reducers. The state is then undefined.
    @inlinable
    public func callAsFunction(
        _ state: inout Machine.State, _ event: Machine.Event
    ) throws -> (effect: TransducerEffect<Machine>, outputs: [Machine.Output]) {
        try body(&state, event)
    }

    /// The event for the failure of an effect, of the first reducer that has one; `nil` for none.
    /// Reducers of machines have them (``init(_:)-(Machine.Type)``), and ``onEffectFailure(_:)``
    /// adds them.
    public func effectFailed(_ failure: EffectFailure) -> Machine.Event? {
        failureEvent(failure)
    }

    /// The event for an effect's result, of the first reducer that has one; `nil` for none.
    ///
    /// - Throws: An error when the result isn't an event of the effect's machine.
    public func effectResult(_ result: EffectResult) throws -> Machine.Event? {
        try resultEvent(result)
    }

    /// The reducer with another event for the failure of its effects, which has precedence.
    @inlinable
    public func onEffectFailure(
        _ event: @escaping @Sendable (EffectFailure) -> Machine.Event?
    ) -> Reducer {
        Reducer(
            body: body, failureEvent: { [failureEvent] in event($0) ?? failureEvent($0) },
            resultEvent: resultEvent, internalName: internalName)
    }

    /// The name of an event that only effects may send, of the first reducer that has one; `nil`
    /// for none. Reducers of machines have them.
    public func internalName(of event: Machine.Event) -> String? { internalName(event) }
}

extension Reducer where Machine: RunnableTransducer {
    /// A machine as a reducer of its own types, with its outputs.
    @inlinable
    public init(_ machine: Machine.Type) {
        self.init(
            body: { state, event in
                let (effect, output) = try Machine.step(&state, event)
                return (effect ?? .empty, [output])
            },
            failureEvent: { Machine.effectFailed($0) },
            resultEvent: { try Machine.effectResult($0) },
            internalName: { Machine.refusedName(of: $0) })
    }
}

// MARK: - Combining

extension Reducer {
    /// Does nothing.
    @inlinable
    public static var empty: Reducer { Reducer { _, _ in .empty } }

    /// As `combine(_:)` with an array.
    @inlinable
    public static func combine(_ reducers: Reducer...) -> Reducer { combine(reducers) }

    /// All reducers from left to right, each with the state of the one before. Their effects and
    /// outputs are in the same order. If one throws, the whole step is refused.
    @inlinable
    public static func combine(_ reducers: [Reducer]) -> Reducer {
        Reducer(
            body: { state, event in
                var effects: [TransducerEffect<Machine>] = []
                var outputs: [Machine.Output] = []
                for reducer in reducers {
                    let (effect, more) = try reducer.body(&state, event)
                    if !effect.isEmpty { effects.append(effect) }
                    if outputs.isEmpty { outputs = more } else { outputs += more }
                }
                return (effects.isEmpty ? .empty : .parallel(effects), outputs)
            },
            failureEvent: { failure in
                for reducer in reducers {
                    if let event = reducer.failureEvent(failure) { return event }
                }
                return nil
            },
            resultEvent: { result in
                for reducer in reducers {
                    if let event = try reducer.resultEvent(result) { return event }
                }
                return nil
            },
            internalName: { event in
                for reducer in reducers {
                    if let name = reducer.internalName(event) { return name }
                }
                return nil
            })
    }

    /// Both, the left one first.
    @inlinable
    public static func + (left: Reducer, right: Reducer) -> Reducer { combine(left, right) }
}

extension TransducerEffect {
    /// Whether it does nothing.
    @inlinable
    var isEmpty: Bool {
        // The usual form, specialized for the types.
        if case .all(let nodes) = node, nodes.isEmpty { return true }
        return node.isEmpty
    }
}
