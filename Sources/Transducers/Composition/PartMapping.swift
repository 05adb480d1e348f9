/// How the effects of a part become effects of the whole.
@usableFromInline
struct PartMapping<Part: BaseTransducer, Whole: BaseTransducer>: Sendable {
    /// Set before all ids of the part's effects; `nil` for none.
    let scope: AnyKey?
    let embed: @Sendable (Part.Event) -> Whole.Event
    let project: @Sendable (Whole.Env) -> Part.Env

    @usableFromInline
    init(
        scope: AnyKey?, embed: @escaping @Sendable (Part.Event) -> Whole.Event,
        project: @escaping @Sendable (Whole.Env) -> Part.Env
    ) {
        self.scope = scope
        self.embed = embed
        self.project = project
    }

    /// The effect of a step of the part.
    ///
    /// - Parameter ended: Whether that step was the part's last. Then its effects that live are
    ///   cancelled, and those of the step are not heard of, as when the part had run alone.
    @usableFromInline
    func embed(_ effect: TransducerEffect<Part>?, ended: Bool) -> TransducerEffect<Whole>? {
        guard ended else { return effect.map { embedded($0, scope: scope?.value) } }
        let last = effect.map {
            embedded(TransducerEffect($0.node.muted), scope: scope.map(EndedScope.init))
        }
        // Without a scope of its own, the part's effects can't be told from the others'.
        guard let scope, Part.Effect.self != Never.self else { return last }
        let cancel = TransducerEffect<Whole>.cancelAll.scoped(scope.value)
        return last.map { .parallel(cancel, $0) } ?? cancel
    }

    private func embedded(
        _ effect: TransducerEffect<Part>, scope: (any Hashable & Sendable)?
    ) -> TransducerEffect<Whole> {
        effect.embedded(in: Whole.self, event: embed, env: project, scope: scope)
    }

    /// The refusal of an event for a part that has ended.
    @usableFromInline var hasEnded: Rejection {
        let name = scope.map { "\($0)" } ?? "the part that the event is for"
        return Rejection("\(name) has ended and takes no more events")
    }

    /// The failure as the part knows it, or `nil` when it is none of the part's.
    @usableFromInline
    func failure(_ failure: EffectFailure) -> EffectFailure? {
        failure.leaving(scope)
    }

    /// The result as the part knows it, or `nil` when it is none of the part's.
    @usableFromInline
    func result(_ result: EffectResult) -> EffectResult? {
        result.leaving(scope)
    }
}

extension EffectResult {
    /// The result without the outermost scope of its id, or `nil` when that is another one.
    func leaving(_ scope: AnyKey?) -> EffectResult? {
        guard let scope else { return self }
        guard let key = id?.leaving(scope) else { return nil }
        return EffectResult(id: key.isNamed ? key : nil, then: then, value: value)
    }
}

extension EffectKey {
    /// The key without its outermost scope, or `nil` when that is another one. Keys that were
    /// stored know their scopes as text.
    fileprivate func leaving(_ scope: AnyKey) -> EffectKey? {
        guard let first = scopes.first,
            first == scope || (first.value as? String) == scope.description
        else { return nil }
        return EffectKey(scopes: Array(scopes.dropFirst()), base: base)
    }
}

extension EffectFailure {
    /// The failure without the outermost scope of its id, or `nil` when that is another one.
    func leaving(_ scope: AnyKey?) -> EffectFailure? {
        guard let scope else { return self }
        guard let key = id?.leaving(scope) else { return nil }
        return EffectFailure(id: key.isNamed ? key : nil, error: error)
    }
}

/// The scope of the effects of a part's last step: nobody is left to cancel them or to be told
/// of their failure.
private struct EndedScope: Hashable, Sendable, CustomStringConvertible {
    let part: AnyKey

    init(_ part: AnyKey) { self.part = part }

    var description: String { "\(part) (ended)" }
}

extension EffectNode {
    /// The same work, of which no events come.
    var muted: EffectNode {
        switch self {
        case .event, .events: .all([])
        case .action(let action):
            .action(
                EffectAction(key: action.key) { env, actor in
                    _ = try await action.body(env, actor)
                    return []
                })
        case .operation(let operation):
            .operation(
                EffectOperation(
                    key: operation.key, policy: operation.policy, queue: operation.queue,
                    priority: operation.priority, durable: operation.durable
                ) { env, _, context, actor in
                    try await operation.body(env, MutedSink(), context, actor)
                })
        case .cancel, .updateQueue: self
        case .sequence(let nodes): .sequence(nodes.map { $0.muted })
        case .all(let nodes): .all(nodes.map { $0.muted })
        }
    }

    /// Whether nothing is begun: at most something is ended.
    @usableFromInline var beginsNothing: Bool {
        switch self {
        case .all(let nodes), .sequence(let nodes): nodes.allSatisfy { $0.beginsNothing }
        case .events(let events): events.isEmpty
        case .cancel, .updateQueue: true
        case .event, .action, .operation: false
        }
    }
}

/// Takes events and drops them, as a machine does that has ended.
private final class MutedSink<Event>: EventSink {
    func send(_ event: sending Event, answer: EventAnswer?) throws(TransducerError) {
        answer?(.notApplied(.ended))
    }

    func enqueue(_ event: sending Event) async throws(TransducerError) {}
}
