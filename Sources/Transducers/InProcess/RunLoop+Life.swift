extension RunLoop {
    /// Runs a loop to its end, or until the run is stopped or the caller's task canceled. It has a
    /// separate task, so that it can be stopped while it waits for a callback or closure that
    /// doesn't end.
    ///
    /// - Parameters:
    ///   - loop: The loop, used only on `actor` from here on.
    ///   - waitsForEnd: Whether to wait for all tasks also when it has been stopped: for values
    ///     that the caller only lends.
    @usableFromInline
    static func supervise(
        _ loop: consuming Handover<RunLoop>, waitsForEnd: Bool = false,
        on actor: isolated any Actor
    ) async throws -> sending Machine.Output {
        let loop = loop.take()
        let channel = loop.channel
        let outcome = RunOutcome<Void>()
        try channel.begin(effectCapacity: loop.options.effectBufferSize) { error in
            outcome.stop(error)
        }
        let task = Task {
            // Named, so that the task runs on the actor.
            _ = actor
            do {
                loop.output = try await withTaskExecutorPreference(loop.options.executor) {
                    try await loop.life(loop, actor)
                }
                outcome.resolve(.success(()))
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
        try result.get()
        guard let output = loop.output else {
            preconditionFailure("a run that was not stopped has an output")
        }
        // For the caller, which is on this actor, or made it and is the only holder of the output
        // when everything has ended.
        return Handover(unchecked: output).take()
    }
}
