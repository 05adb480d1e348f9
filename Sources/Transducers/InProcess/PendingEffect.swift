/// An effect to be carried out, with its sequence and its send.
@usableFromInline
struct PendingEffect<Event, Env> {
    let node: EffectNode<Event, Env>
    let group: EffectGroup<Event, Env>?
    let request: EffectRequest?
}
