/// Turns the effects of a part into effects of the whole.
@usableFromInline
struct PartMapping<Part: BaseTransducer, Whole: BaseTransducer>: Sendable {
    /// The prefix of all ids of the part's effects; `nil` for none.
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
    /// - Parameter ended: Whether that step was the part's last. Then its live effects are
    ///   canceled, and events of the step's effects are dropped, as if the part had run alone.
    @usableFromInline
    func embed(_ effect: TransducerEffect<Part>?, ended: Bool) -> TransducerEffect<Whole>? {
        let mapping = EffectMapping(
            embed: embed, project: project,
            scope: ended ? scope.map { AnyKey(EndedScope(part: $0)) } : scope, isMuted: ended)
        let embedded = effect.map { TransducerEffect<Whole>(mapping.map($0.node)) }
        guard ended else { return embedded }
        // Without a scope of its own, the part's effects can't be told from the others'.
        guard let scope, Part.Effect.self != Never.self else { return embedded }
        let cancel = TransducerEffect<Whole>.cancelAll.scoped(scope.value)
        return embedded.map { .parallel(cancel, $0) } ?? cancel
    }

    /// The refusal of an event for a part that has ended.
    @usableFromInline var hasEnded: Rejection {
        let name = scope.map { "\($0)" } ?? "the part that the event is for"
        return Rejection("\(name) has ended and takes no more events")
    }

    /// The failure as the part knows it, or `nil` when it is none of the part's.
    @usableFromInline
    func failure(_ failure: EffectFailure) -> EffectFailure? {
        guard let scope else { return failure }
        return failure.id?.leaving(scope).map { EffectFailure(id: $0, error: failure.error) }
    }

    /// The result as the part knows it, or `nil` when it is none of the part's.
    @usableFromInline
    func result(_ result: EffectResult) -> EffectResult? {
        guard let scope else { return result }
        return result.id?.leaving(scope).map {
            EffectResult(id: $0, then: result.then, value: result.value)
        }
    }
}

extension EffectKey {
    /// The key without its outermost scope, or `nil` when that is another one; `.some(nil)` for a
    /// key that says nothing without it.
    fileprivate func leaving(_ scope: AnyKey) -> EffectKey?? {
        guard let first = scopes.first,
            first == scope || scope.isStored(as: first)
        else { return nil }
        let key = EffectKey(scopes: Array(scopes.dropFirst()), base: base)
        return .some(key.isNamed ? key : nil)
    }
}
