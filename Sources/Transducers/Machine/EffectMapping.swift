/// Turns effects of a part into effects of the whole.
struct EffectMapping<PartEvent, PartEnv, Event, Env>: Sendable {
    let embed: @Sendable (PartEvent) -> Event
    let project: @Sendable (Env) -> PartEnv
    /// The prefix of all ids and queues; `nil` for none.
    var scope: AnyKey?
    /// Whether all events are dropped.
    var isMuted = false
    var transformID: (@Sendable (any Hashable & Sendable) -> any Hashable & Sendable)?

    func map(_ node: EffectNode<PartEvent, PartEnv>) -> EffectNode<Event, Env> {
        switch node {
        case .event where isMuted, .events where isMuted: .all([])
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
        EffectAction(key: map(action.key)) { [embed, project, isMuted] env, actor in
            var events: [Event] = []
            for event in try await action.body(env.map(project), actor) where !isMuted {
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
        ) { [embed, project, isMuted] env, sink, context, actor in
            let sink: any EventSink<PartEvent> =
                isMuted ? MutedSink<PartEvent>() : MappedSink(sink, embed: embed)
            try await operation.body(env.map(project), sink, context, actor)
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
