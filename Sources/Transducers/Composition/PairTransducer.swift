import OrderedJSON

/// The common parts of ``ParallelTransducer``, ``PipedTransducer`` and ``SequentialTransducer``. A
/// pair is a machine like any other: it runs in one loop and is hosted as one instance, and one
/// step of it is one transaction.
///
/// Scopes (``PairSide``) separate the effects of the two, so equal ids don't collide. When one
/// machine ends and the pair continues, that machine's effects end as if it had run alone: live
/// ones are canceled, those of its last step run, and their events are dropped.
public protocol PairTransducer<Event>: RunnableTransducer, SendableMetatype
where Effect == TransducerEffect<Self> {
    /// The first machine.
    associatedtype First: RunnableTransducer & SendableMetatype
    /// The second machine.
    associatedtype Second: RunnableTransducer & SendableMetatype
    /// The environment of both machines' effects: by default one for each. Machines with the same
    /// one conform to ``SharesEnvironment``. For another type (`typealias Env = …`),
    /// ``firstEnv(_:)`` and ``secondEnv(_:)`` return the machines' parts; a machine without
    /// environment (`Void`) needs none.
    associatedtype Env = PairEnv<First.Env, Second.Env>

    /// The pair's event for one of the first machine's.
    static func event(first event: First.Event) -> Event
    /// The pair's event for one of the second machine's.
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

    /// The event of the machine whose effect failed, which gets its own id of the effect.
    public static func effectFailed(_ failure: EffectFailure) -> Event? {
        failureOfSide(failure)?.event
    }

    /// The event of the machine whose effect has the result, which gets its own id of the effect.
    public static func effectResult(_ result: EffectResult) throws -> Event? {
        if let inner = firstMapping.result(result) {
            return try First.effectResult(inner).map { event(first: $0) }
        }
        if let inner = secondMapping.result(result) {
            return try Second.effectResult(inner).map { event(second: $0) }
        }
        return nil
    }

    /// The stored event with what its machine makes of it.
    static func migrateOfSide(event: JSONValue) throws -> JSONValue {
        try event.replacingSide(
            first: { try First.migrate(event: $0) }, second: { try Second.migrate(event: $0) })
    }

    /// The name of an event of the first machine that is internal there.
    static func internalName(ofFirst event: First.Event) -> String? {
        First.refusedName(of: event).map { "\(PairSide.first).\($0)" }
    }

    /// The name of an event of the second machine that is internal there.
    static func internalName(ofSecond event: Second.Event) -> String? {
        Second.refusedName(of: event).map { "\(PairSide.second).\($0)" }
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

extension JSONValue {
    /// The value of a case `first` or `second` with another value in it; all others as they are.
    func replacingSide(
        first: (JSONValue) throws -> JSONValue, second: (JSONValue) throws -> JSONValue
    ) rethrows -> JSONValue {
        guard case .object(var members) = self, let value = members["value"] else { return self }
        switch members["type"]?.string {
        case "first": members["value"] = try first(value)
        case "second": members["value"] = try second(value)
        default: return self
        }
        return .object(members)
    }
}

// MARK: - Inputs of the sides

extension PairTransducer {
    /// An input for the first machine's events, of a pair that runs with `proxy`.
    public static func firstInput<P: TransducerProxy>(
        of proxy: P
    ) -> Transducers.Proxy<First.Event>.Input where P.Event == Event {
        Transducers.Proxy.makeInput(MappedSink(proxy.channel, embed: { event(first: $0) }))
    }

    /// An input for the second machine's events, of a pair that runs with `proxy`.
    public static func secondInput<P: TransducerProxy>(
        of proxy: P
    ) -> Transducers.Proxy<Second.Event>.Input where P.Event == Event {
        Transducers.Proxy.makeInput(MappedSink(proxy.channel, embed: { event(second: $0) }))
    }
}
