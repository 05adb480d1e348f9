extension Reducer {
    /// The reducer as a part of a larger machine.
    ///
    /// It ignores other events, and all events while its state is absent: another case, or `nil`.
    /// An event for a terminal state is refused. When the part ends, and has a scope, its effects
    /// end as if it had run alone: live ones are canceled, those of its last step run, and their
    /// events are dropped.
    ///
    /// - Parameters:
    ///   - whole: The larger machine.
    ///   - state: The place of the part's state: `.at(\.counter)`, `.optional(\.dialog)`,
    ///     `.case(Screen.counter)`, or `.whole`.
    ///   - event: The part's events: `CasePath(Event.counter)`, or `.whole`.
    ///   - env: Returns the part's environment.
    ///   - scope: The prefix of all ids and queues of the part's effects, which separates them from
    ///     others. `nil` for none.
    ///   - output: Returns the whole's output for one of the part's; `nil` for none.
    @inlinable
    public func scoped<Whole: BaseTransducer>(
        to whole: Whole.Type = Whole.self, state: StatePath<Whole.State, Machine.State>,
        event: CasePath<Whole.Event, Machine.Event>,
        env: @escaping @Sendable (Whole.Env) -> Machine.Env,
        scope: (any Hashable & Sendable)? = nil,
        output: @escaping @Sendable (Machine.Output) -> Whole.Output? = { _ in nil }
    ) -> Reducer<Whole> {
        let mapping = PartMapping<Machine, Whole>(
            scope: scope.map { AnyKey($0) }, embed: { event.embed($0) }, project: env)
        return Reducer<Whole>(
            body: { [body] wholeState, wholeEvent in
                guard let inner = event.extract(wholeEvent) else { return (.empty, []) }
                var effect = TransducerEffect<Whole>.empty
                var outputs: [Whole.Output] = []
                _ = try state.access(&wholeState) { part in
                    guard !part.isTerminal else { throw mapping.hasEnded }
                    let (innerEffect, given) = try body(&part, inner)
                    let ended = part.isTerminal
                    if ended || !innerEffect.isEmpty {
                        effect = mapping.embed(innerEffect, ended: ended) ?? .empty
                    }
                    for value in given {
                        if let value = output(value) { outputs.append(value) }
                    }
                }
                return (effect, outputs)
            },
            failureEvent: { [failureEvent] in
                mapping.failure($0).flatMap(failureEvent).map { event.embed($0) }
            },
            resultEvent: { [resultEvent] in
                try mapping.result($0).flatMap(resultEvent).map { event.embed($0) }
            },
            internalName: { [internalName] whole in
                event.extract(whole).flatMap(internalName).map { CaseName.of(whole, before: $0) }
            })
    }

    /// As `scoped(to:state:event:env:scope:output:)`, for a part without environment.
    @inlinable
    public func scoped<Whole: BaseTransducer>(
        to whole: Whole.Type = Whole.self, state: StatePath<Whole.State, Machine.State>,
        event: CasePath<Whole.Event, Machine.Event>, scope: (any Hashable & Sendable)? = nil,
        output: @escaping @Sendable (Machine.Output) -> Whole.Output? = { _ in nil }
    ) -> Reducer<Whole> where Machine.Env == Void {
        scoped(
            to: whole, state: state, event: event, env: { _ in () }, scope: scope,
            output: output)
    }

    /// The reducer with other ids of its effects.
    public func mapID(
        _ transform: @escaping @Sendable (any Hashable & Sendable) -> any Hashable & Sendable
    ) -> Reducer {
        Reducer(
            body: { [body] state, event in
                let (effect, outputs) = try body(&state, event)
                return (effect.isEmpty ? effect : effect.mapID(transform), outputs)
            }, failureEvent: failureEvent, resultEvent: resultEvent,
            internalName: internalName)
    }

    /// The reducer with other outputs; `nil` for none.
    public func mapOutput(
        _ transform: @escaping @Sendable (Machine.Output) -> Machine.Output?
    ) -> Reducer {
        Reducer(
            body: { [body] state, event in
                let (effect, outputs) = try body(&state, event)
                return (effect, outputs.compactMap(transform))
            }, failureEvent: failureEvent, resultEvent: resultEvent,
            internalName: internalName)
    }
}
