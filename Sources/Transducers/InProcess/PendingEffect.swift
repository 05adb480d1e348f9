/// An effect that is to be carried out, with what it belongs to.
@usableFromInline
struct PendingEffect<Event, Env> {
    let node: EffectNode<Event, Env>
    let group: EffectGroup<Event, Env>?
    let request: EffectRequest?
}
