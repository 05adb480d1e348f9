/// The actor of a run whose caller has none, or of a closure.
@usableFromInline
actor RunActor {
    @usableFromInline
    init() {}

    @usableFromInline
    func supervise<Machine, Store, Sink>(
        _ loop: consuming Handover<RunLoop<Machine, Store, Sink>>
    ) async throws -> sending Machine.Output {
        try await RunLoop.supervise(loop, waitsForEnd: true, on: self)
    }
}
