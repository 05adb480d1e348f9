/// An effect to be carried out, with its sequence and its send.
@usableFromInline
struct PendingEffect<Event, Env> {
    let node: EffectNode<Event, Env>
    let group: EffectGroup<Event, Env>?
    /// The send that it is part of.
    let request: EffectRequest?
    /// Whether an effect has caused it: its results aren't those of a send that tracks only its
    /// own.
    var isCaused = false

    /// The send that gets its results.
    var receiver: EffectRequest? {
        isCaused && request?.tracking != .tree ? nil : request
    }
}
