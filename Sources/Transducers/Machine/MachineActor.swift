/// The actor that a machine runs on. Held weakly, so that effects don't keep the machine's owner
/// alive; its deallocation cancels them.
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
