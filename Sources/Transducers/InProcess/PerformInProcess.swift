import OrderedJSON

extension EffectContext {
    /// Calls a handler, as often as `retry` says: what the server does for `perform`, for a machine
    /// that runs in process.
    ///
    /// - Parameter receive: Called with each result; returns when it has been applied.
    func perform(
        _ name: String, argument: JSONValue, retry: RetryPolicy, timeout: Duration?,
        receive: @escaping @Sendable (JSONValue) async throws -> Void
    ) async throws {
        guard let handler = handlers[name] else { throw TransducerError.noHandler(name) }
        let start = clock.reading
        let delivered = Locked(0)
        var attempt = 1
        var random = SeededGenerator(seed: seed)
        while true {
            let outcome = RunOutcome<JSONValue>()
            let context = EffectHandlerContext(
                key: "\(run.number)", attempt: attempt, instance: nil,
                delivered: delivered.withLock { $0 }, run: run.number
            ) { value in
                // A try that was given up has nothing to say any more.
                guard !outcome.isDecided else { throw CancellationError() }
                try await receive(value)
                delivered.withLock { $0 += 1 }
            }
            do {
                let result = try await decide(outcome, within: timeout ?? handler.timeout) {
                    try await handler.body(argument, context)
                }
                return try await receive(result)
            } catch let error as CancellationError {
                throw error
            } catch let error as PermanentFailure {
                throw error
            } catch {
                let draw = Double.random(in: 0...1, using: &random)
                guard
                    let pause = retry.pause(
                        afterAttempt: attempt, elapsed: start().milliseconds, draw: draw,
                        least: (error as? RetryLater)?.pause.milliseconds ?? 0)
                else { throw error }
                try await sleep(for: .milliseconds(pause))
                attempt += 1
            }
        }
    }

    /// Calls a handler until it returns, its time is over or the effect is cancelled. A handler
    /// that continues then is left to itself, as on a server.
    private func decide(
        _ outcome: RunOutcome<JSONValue>, within timeout: Duration,
        _ body: @escaping @Sendable () async throws -> JSONValue
    ) async throws -> JSONValue {
        let work = Task(executorPreference: executor) {
            do {
                outcome.resolve(.success(try await body()))
            } catch {
                outcome.resolve(.failure(error))
            }
        }
        outcome.adopt(work)
        let timer = Task(executorPreference: executor) { [clock] in
            do {
                try await clock.sleep(for: timeout, tolerance: nil)
            } catch {
                // The try was over before its time was.
                return
            }
            outcome.stop(TransducerError.effectTimedOut(timeout))
        }
        defer { timer.cancel() }
        return try await withTaskCancellationHandler {
            try await outcome.result().get()
        } onCancel: {
            outcome.stop(CancellationError())
        }
    }
}

extension Clock where Duration == Swift.Duration {
    /// Tells how much time has passed since this was asked for.
    var reading: @Sendable () -> Duration {
        let start = now
        return { start.duration(to: self.now) }
    }
}
