import OrderedJSON
import Synchronization

// What a host does for `perform`, for a machine that runs in process.

/// Where a handler's results go in process: to the machine, as its events.
struct ResultSink<Machine: BaseTransducer & SendableMetatype>: EffectResultSink
where Machine.Event: Sendable {
    private let sink: any EventSink<Machine.Event>
    private let id: EffectKey?
    private let then: String?

    init(_ sink: any EventSink<Machine.Event>, id: EffectKey?, then: String?) {
        self.sink = sink
        self.id = id
        self.then = then
    }

    func give(_ value: JSONValue) async throws {
        let result = EffectResult(id: id, then: then, value: value)
        guard let event = try Machine.effectResult(result) else { return }
        try await sink.sendAndWait(event)
    }
}

/// Takes what handlers give.
protocol EffectResultSink: Sendable {
    /// Takes one result; returns when it has been applied.
    func give(_ value: JSONValue) async throws
}

extension EffectContext {
    /// Has a handler work, as often as `retry` says.
    func perform(
        _ name: String, argument: JSONValue, retry: RetryPolicy, timeout: Duration?,
        giving results: some EffectResultSink
    ) async throws {
        guard let handler = handlers[name] else { throw TransducerError.noHandler(name) }
        let start = clock.reading
        let delivered = DeliveredCount()
        var attempt = 1
        var random = SeededGenerator(seed: seed)
        while true {
            let outcome = RunOutcome<JSONValue>()
            let context = EffectHandlerContext(
                key: "\(run.number)", attempt: attempt, instance: nil,
                delivered: delivered.value, run: run.number
            ) { value in
                // A try that was given up has nothing to say any more.
                guard !outcome.isDecided else { throw CancellationError() }
                try await results.give(value)
                delivered.increment()
            }
            do {
                let result = try await decide(outcome, within: timeout ?? handler.timeout) {
                    try await handler.body(argument, context)
                }
                return try await results.give(result)
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

    /// Has a handler work until it returns, its time is over or the effect is cancelled. A handler
    /// that goes on then is left to itself, as on a server.
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
    fileprivate var reading: @Sendable () -> Duration {
        let start = now
        return { start.duration(to: self.now) }
    }
}

/// How many results of a run have been applied.
private final class DeliveredCount: Sendable {
    private let count = Atomic<Int>(0)

    var value: Int { count.load(ordering: .acquiring) }

    func increment() { count.add(1, ordering: .acquiringAndReleasing) }
}
