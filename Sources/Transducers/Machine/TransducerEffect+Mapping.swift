extension TransducerEffect {
    /// The effect as one of a containing machine.
    ///
    /// - Parameters:
    ///   - machine: The containing machine.
    ///   - embed: Returns the containing machine's event for one of this machine's.
    ///   - project: Returns this machine's environment.
    ///   - scope: The prefix of all ids and queues, which separates them from those of other parts.
    ///     `nil` for none.
    public func embedded<Whole: BaseTransducer>(
        in machine: Whole.Type = Whole.self,
        event embed: @escaping @Sendable (Event) -> Whole.Event,
        env project: @escaping @Sendable (Whole.Env) -> Env,
        scope: (any Hashable & Sendable)? = nil
    ) -> TransducerEffect<Whole> {
        let mapping = EffectMapping(
            embed: embed, project: project, scope: scope.map { AnyKey($0) })
        return TransducerEffect<Whole>(mapping.map(node))
    }

    /// The effect with a scope before all its ids and queues.
    public func scoped(_ scope: some Hashable & Sendable) -> TransducerEffect {
        embedded(in: Machine.self, event: { $0 }, env: { $0 }, scope: scope)
    }

    /// The effect with other ids. Cancellations by prefix, by condition and of all don't change.
    public func mapID(
        _ transform: @escaping @Sendable (any Hashable & Sendable) -> any Hashable & Sendable
    ) -> TransducerEffect {
        let mapping = EffectMapping<Event, Env, Event, Env>(
            embed: { $0 }, project: { $0 }, transformID: transform)
        return TransducerEffect(mapping.map(node))
    }
}
