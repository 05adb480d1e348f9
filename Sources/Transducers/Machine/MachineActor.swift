/// The actor that a machine runs on. Held weakly, so that effects don't keep the machine's owner
/// alive; its deallocation cancels them. Only an isolated closure does keep it while it runs: it
/// runs on the actor, and a dropped ``ActorHost`` lives on until then.
@usableFromInline
struct MachineActor: Sendable {
    private weak let actor: (any Actor)?

    init(_ actor: any Actor) { self.actor = actor }

    /// The actor.
    ///
    /// - Throws: `CancellationError` when it is deallocated, and with it the machine.
    func get() throws -> any Actor {
        guard let actor else { throw CancellationError() }
        return actor
    }
}
