/// Runs a machine's loop in a task of its own, so that the machine can be stopped while it waits
/// for a callback or a closure that doesn't end.
@usableFromInline
enum RunLife {
    /// How the loop is run: handed in, so that it is compiled for the types it runs with.
    @usableFromInline
    typealias Life<Machine: RunnableTransducer, Store: Storage, Sink: Subject> =
        (RunLoop<Machine, Store, Sink>, isolated any Actor) async throws -> Machine.Output
    where Store.Value == Machine.State, Sink.Value == Machine.Output

    /// Runs the loop to its end, or until the run is stopped or the caller's task cancelled.
    ///
    /// - Parameter waitsForEnd: Whether to wait for everything that was started, also when it
    ///   has been stopped: where what it works with was only lent.
    @usableFromInline
    static func supervise<Machine, Store, Sink>(
        _ loop: RunLoop<Machine, Store, Sink>, waitsForEnd: Bool = false,
        on actor: isolated any Actor, life: @escaping Life<Machine, Store, Sink>
    ) async throws -> sending Machine.Output {
        let channel = loop.channel
        let outcome = RunOutcome<Machine.Output>()
        try channel.begin(effectCapacity: loop.options.effectBufferSize) { error in
            outcome.stop(error)
        }
        // It runs on this actor alone.
        nonisolated(unsafe) let life = life
        let task = Task {
            // Named, so that the task runs on the actor.
            _ = actor
            do {
                let output = try await withTaskExecutorPreference(loop.options.executor) {
                    try await life(loop, actor)
                }
                outcome.resolve(.success(output))
            } catch {
                outcome.resolve(.failure(error))
            }
            loop.agenda?.runtime.cancelAll()
        }
        outcome.adopt(task)
        let result = await withTaskCancellationHandler(
            operation: { await outcome.result(isolation: actor) },
            onCancel: { channel.stop(CancellationError()) }, isolation: actor)
        if waitsForEnd {
            await task.value
            await loop.agenda?.runtime.awaitTasks(isolation: actor)
        }
        // Goes back to the caller, who is on this actor, or made it.
        nonisolated(unsafe) let output = try result.get()
        return output
    }
}

/// The actor of a run whose caller has none.
@usableFromInline
actor RunActor {
    @usableFromInline
    init() {}

    @usableFromInline
    func supervise<Machine, Store, Sink>(
        _ loop: sending RunLoop<Machine, Store, Sink>,
        life: sending @escaping RunLife.Life<Machine, Store, Sink>
    ) async throws -> sending Machine.Output {
        try await RunLife.supervise(loop, waitsForEnd: true, on: self, life: life)
    }
}
