/// What the machines that are put together of two have in common: ``ParallelTransducer``,
/// ``PipedTransducer`` and ``SequentialTransducer``. A pair is a machine like any other: it runs
/// in one loop and is hosted as one instance, and one step of it is one transaction.
///
/// Effects of the two are told apart by scopes (``PairSide``), so equal ids don't collide.
/// When one of them ends and the pair continues, that machine's effects end as if it had run
/// alone: those that live are cancelled, those of its last step run, and what they report
/// doesn't count.
public protocol PairTransducer<Event>: RunnableTransducer, SendableMetatype
where Effect == TransducerEffect<Self> {
    /// The first machine.
    associatedtype First: RunnableTransducer & SendableMetatype
    /// The second machine.
    associatedtype Second: RunnableTransducer & SendableMetatype
    /// What effects of both are given to work with: by default one environment for each. Where
    /// both use the same, say so with ``SharesEnvironment``. Another type is named here
    /// (`typealias Env = …`), and ``firstEnv(_:)`` and ``secondEnv(_:)`` say what of it goes
    /// where; a machine that needs none (`Void`) is given none.
    associatedtype Env = PairEnv<First.Env, Second.Env>

    /// The pair's event that stands for one of the first machine's.
    static func event(first event: First.Event) -> Event
    /// The pair's event that stands for one of the second machine's.
    static func event(second event: Second.Event) -> Event
    /// The first machine's environment in the pair's.
    static func firstEnv(_ env: Env) -> First.Env
    /// The second machine's environment in the pair's.
    static func secondEnv(_ env: Env) -> Second.Env
}

extension PairTransducer {
    @usableFromInline static var firstMapping: PartMapping<First, Self> {
        PartMapping(
            scope: AnyKey(PairSide.first), embed: { event(first: $0) },
            project: { firstEnv($0) })
    }

    @usableFromInline static var secondMapping: PartMapping<Second, Self> {
        PartMapping(
            scope: AnyKey(PairSide.second), embed: { event(second: $0) },
            project: { secondEnv($0) })
    }

    /// A failure goes to the machine whose effect failed, under the id that it knows.
    public static func effectFailed(_ failure: EffectFailure) -> Event? {
        failureOfSide(failure)?.event
    }

    /// A result goes to the machine whose effect gave it, under the id that it knows.
    public static func effectResult(_ result: EffectResult) throws -> Event? {
        if let inner = firstMapping.result(result) {
            return try First.effectResult(inner).map { event(first: $0) }
        }
        if let inner = secondMapping.result(result) {
            return try Second.effectResult(inner).map { event(second: $0) }
        }
        return nil
    }

    /// The side whose effect failed, the failure under its id there, and that machine's event for
    /// it.
    static func failureOfSide(
        _ failure: EffectFailure
    ) -> (side: PairSide, failure: EffectFailure, event: Event?)? {
        if let inner = firstMapping.failure(failure) {
            return (.first, inner, First.effectFailed(inner).map { event(first: $0) })
        }
        if let inner = secondMapping.failure(failure) {
            return (.second, inner, Second.effectFailed(inner).map { event(second: $0) })
        }
        return nil
    }
}

// MARK: - Inputs of the sides

extension PairTransducer {
    /// A handle that sends events to the first machine alone, of a pair that runs with `proxy`.
    public static func firstInput<P: TransducerProxy>(
        of proxy: P
    ) -> Transducers.Proxy<First.Event>.Input where P.Event == Event {
        Transducers.Proxy.makeInput(MappedSink(proxy.channel, embed: { event(first: $0) }))
    }

    /// A handle that sends events to the second machine alone, of a pair that runs with `proxy`.
    public static func secondInput<P: TransducerProxy>(
        of proxy: P
    ) -> Transducers.Proxy<Second.Event>.Input where P.Event == Event {
        Transducers.Proxy.makeInput(MappedSink(proxy.channel, embed: { event(second: $0) }))
    }
}
