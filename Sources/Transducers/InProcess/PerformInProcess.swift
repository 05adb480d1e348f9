import OrderedJSON

extension EffectContext {
    /// Calls a handler, with retries by `retry`: the server's `perform` for a machine that runs in
    /// process.
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
                // An attempt that was given up can't deliver any more.
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

    /// Calls a handler until it returns, its time is over or the effect is canceled. A handler that
    /// continues after that is ignored, as on a server.
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
                // The attempt ended before its timeout.
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
    /// Returns the time since the property was read.
    var reading: @Sendable () -> Duration {
        let start = now
        return { start.duration(to: self.now) }
    }
}
