extension TransducerEffect {
    /// The effect as one of a machine that contains this one.
    ///
    /// - Parameters:
    ///   - machine: The containing machine.
    ///   - embed: Makes one of its events of each of this machine's.
    ///   - project: Finds this machine's environment in its own.
    ///   - scope: Set before all ids and queues, so that effects of other parts, and of a second
    ///     part of the same kind, are not met. `nil` for none.
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

    /// The effect with other ids. Cancelling by prefix, by condition or of all is left as it is.
    public func mapID(
        _ transform: @escaping @Sendable (any Hashable & Sendable) -> any Hashable & Sendable
    ) -> TransducerEffect {
        var mapping = EffectMapping<Event, Env, Event, Env>(
            embed: { $0 }, project: { $0 }, scope: nil)
        mapping.transformID = transform
        return TransducerEffect(mapping.map(node))
    }
}

/// Makes effects of a part into effects of the whole.
struct EffectMapping<PartEvent, PartEnv, Event, Env>: Sendable {
    let embed: @Sendable (PartEvent) -> Event
    let project: @Sendable (Env) -> PartEnv
    let scope: AnyKey?
    var transformID: (@Sendable (any Hashable & Sendable) -> any Hashable & Sendable)?

    init(
        embed: @escaping @Sendable (PartEvent) -> Event,
        project: @escaping @Sendable (Env) -> PartEnv, scope: AnyKey?
    ) {
        self.embed = embed
        self.project = project
        self.scope = scope
    }

    func map(_ node: EffectNode<PartEvent, PartEnv>) -> EffectNode<Event, Env> {
        switch node {
        case .event(let event): .event(embed(event))
        case .events(let events): .events(events.map(embed))
        case .action(let action): .action(map(action))
        case .operation(let operation): .operation(map(operation))
        case .cancel(let selector): .cancel(map(selector))
        case .updateQueue(let queue): .updateQueue(map(queue))
        case .sequence(let nodes): .sequence(nodes.map(map))
        case .all(let nodes): .all(nodes.map(map))
        }
    }

    private func map(_ action: EffectAction<PartEvent, PartEnv>) -> EffectAction<Event, Env> {
        EffectAction(key: map(action.key)) { [embed, project] env, actor in
            var events: [Event] = []
            for event in try await action.body(env.map(project), actor) {
                events.append(embed(event))
            }
            return events
        }
    }

    private func map(
        _ operation: EffectOperation<PartEvent, PartEnv>
    ) -> EffectOperation<Event, Env> {
        EffectOperation(
            key: map(operation.key), policy: operation.policy,
            queue: operation.queue.map(map), priority: operation.priority,
            durable: operation.durable?.map(embed)
        ) { [embed, project] env, sink, context, actor in
            try await operation.body(
                env.map(project), MappedSink(sink, embed: embed), context, actor)
        }
    }

    private func map(_ key: EffectKey) -> EffectKey {
        var key = key
        if let scope { key.scopes.insert(scope, at: 0) }
        if let transformID, let base = key.base { key.base = AnyKey(transformID(base.value)) }
        return key
    }

    private func map(_ queue: QueueKey) -> QueueKey {
        var queue = queue
        if let scope { queue.scopes.insert(scope, at: 0) }
        return queue
    }

    private func map(_ selector: EffectSelector) -> EffectSelector {
        var selector = selector
        if let transformID, case .id(let id) = selector.choice {
            var changed = EffectSelector(.id(AnyKey(transformID(id.value))))
            changed.scopes = selector.scopes
            selector = changed
        }
        if let scope { selector.scopes.insert(scope, at: 0) }
        return selector
    }
}
