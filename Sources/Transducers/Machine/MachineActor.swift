/// The actor a machine runs on. Held weakly, so that effects don't keep a host alive that nobody
/// else holds; dropping it cancels them.
@usableFromInline
struct MachineActor: Sendable {
    private weak let actor: (any Actor)?

    init(_ actor: any Actor) { self.actor = actor }

    /// The actor, if it is still there.
    ///
    /// - Throws: `CancellationError`, when it isn't: then neither is the machine.
    func get() throws -> any Actor {
        guard let actor else { throw CancellationError() }
        return actor
    }
}
