public import OrderedJSON

/// Two machines side by side as one: the state is both states, an event is for one of them, an
/// output comes from one of them.
///
///     enum Both: ParallelTransducer, InitialState {
///         typealias First = Counter
///         typealias Second = Door
///         typealias Rule = EndsWithAll
///     }
///
/// or, shorter, `typealias Both = Parallel<Counter, Door, EndsWithAll>`.
///
/// `Rule` decides when it ends, and the effect of a side's failure. With ``EndsWithAny`` the end of
/// one side ends the whole. With ``EndsWithAll``, events for a side that has ended are refused,
/// immediate events too: if a side returns several and one of them ends it, the whole step is
/// refused, while a machine alone would drop the rest.
///
/// To run two machines in two loops on separate actors, use
/// ``runParallel(_:isolation:first:second:)``.
public protocol ParallelTransducer: PairTransducer
where
    State == ParallelState<First.State, Second.State, Rule>,
    Event == ParallelEvent<First.Event, Second.Event>,
    Output == ParallelOutput<First.Output, Second.Output>
{
    /// When the product ends, and the effect of a failure.
    associatedtype Rule: ParallelRule
}

/// Two machines side by side as one (``ParallelTransducer``), for a `typealias`.
public enum Parallel<
    First: RunnableTransducer & SendableMetatype, Second: RunnableTransducer & SendableMetatype,
    Rule: ParallelRule
>: ParallelTransducer {
}

extension Parallel: InitialState where First: InitialState, Second: InitialState {}

extension ParallelTransducer where First: InitialState, Second: InitialState {
    /// Both in their initial states.
    public static var initialState: State {
        ParallelState(first: First.initialState, second: Second.initialState)
    }
}

extension ParallelTransducer {
    /// `.first`
    public static func event(first event: First.Event) -> Event { .first(event) }

    /// `.second`
    public static func event(second event: Second.Event) -> Event { .second(event) }

    /// Both states as their machines migrate them, from an earlier version of the product.
    public static func migrate(state: JSONValue, from version: String) throws -> JSONValue {
        guard case .object(var sides) = state else { return state }
        if let first = sides["first"] {
            sides["first"] = try First.migrate(state: first, from: version)
        }
        if let second = sides["second"] {
            sides["second"] = try Second.migrate(state: second, from: version)
        }
        return .object(sides)
    }

    /// The event as its machine migrates it.
    public static func migrate(event: JSONValue) throws -> JSONValue {
        try migrateOfSide(event: event)
    }

    /// `failed`: else every client could end the product. A product that is to take it from clients
    /// says that no event is internal.
    public static var internalEvents: [String] { ["failed"] }

    /// The internal events of the sides: `first.` or `second.`, and the name there.
    public static func internalName(of event: Event) -> String? {
        switch event {
        case .first(let event): internalName(ofFirst: event)
        case .second(let event): internalName(ofSecond: event)
        case .failed: nil
        }
    }

    /// The initial output of the side that has one, or of both.
    public static func initialOutput(initialState: State) -> Output? {
        let first = First.initialOutput(initialState: initialState.first)
        let second = Second.initialOutput(initialState: initialState.second)
        return switch (first, second) {
        case (let first?, let second?): .both(first: first, second: second)
        case (let first?, nil): .first(first)
        case (nil, let second?): .second(second)
        case (nil, nil): nil
        }
    }

    /// Applies an event to its side.
    ///
    /// - Throws: The errors of the side; ``Rejection`` for an event for a side that has ended, and
    ///   for a failure if the rule keeps failures.
    @inlinable
    public static func step(
        _ state: inout State, _ event: Event
    ) throws -> (TransducerEffect<Self>?, Output) {
        try stepSide(&state, event)
    }

    /// Applies an event to its side. Separate from `step`, for machines that extend a step.
    @inlinable
    static func stepSide(
        _ state: inout State, _ event: Event
    ) throws -> (TransducerEffect<Self>?, Output) {
        switch event {
        case .first(let event):
            guard !state.first.isTerminal else {
                throw PairSide.first.hasEnded(accepts: ["second"])
            }
            let (effect, output) = try First.step(&state.first, event)
            let ended = state.first.isTerminal
            if effect == nil, !ended { return (nil, .first(output)) }
            return (firstMapping.embed(effect, ended: ended), .first(output))
        case .second(let event):
            guard !state.second.isTerminal else {
                throw PairSide.second.hasEnded(accepts: ["first"])
            }
            let (effect, output) = try Second.step(&state.second, event)
            let ended = state.second.isTerminal
            if effect == nil, !ended { return (nil, .second(output)) }
            return (secondMapping.embed(effect, ended: ended), .second(output))
        case .failed(let failure):
            try fail(&state, failure)
            return (nil, .failed(failure))
        }
    }

    @usableFromInline
    static func fail(_ state: inout State, _ failure: SideFailure) throws {
        guard Rule.sideFailure == .stopsOther else {
            throw Rejection(
                "the failure of a side doesn't end this product", accepts: ["first", "second"])
        }
        state.failure = failure
    }

    /// The resumed effects of the sides that haven't ended.
    public static func resume(_ state: State) -> TransducerEffect<Self>? {
        let first = state.first.isTerminal ? nil : First.resume(state.first)
        let second = state.second.isTerminal ? nil : Second.resume(state.second)
        let effects = [
            firstMapping.embed(first, ended: false),
            secondMapping.embed(second, ended: false),
        ].compactMap { $0 }
        return effects.isEmpty ? nil : .parallel(effects)
    }

    /// The event of the side whose effect failed, or else the failure that ends the product, if the
    /// rule says so.
    public static func effectFailed(_ failure: EffectFailure) -> Event? {
        guard let (side, failure, event) = failureOfSide(failure) else { return nil }
        if let event { return event }
        guard Rule.sideFailure == .stopsOther else { return nil }
        return .failed(
            SideFailure(
                side: side, effect: failure.id.map { "\($0)" },
                reason: String(describing: failure.error)))
    }
}
