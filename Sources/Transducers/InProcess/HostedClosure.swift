import OrderedJSON

/// Runs closures of effects for a host: as handlers that emit the closure's events.
enum HostedClosure {
    /// A closure takes the time it takes: it ends when it is cancelled.
    static let timeout = Duration.seconds(100 * 366 * 86_400)

    /// Work beside the machine.
    static func handler<Event: Encodable & SendableMetatype, Env>(
        _ operation: EffectOperation<Event, Env>, env: HostedEnv<Env>
    ) -> EffectHandler {
        handler { (sink: EventChannel<Event>, context, actor) in
            try await operation.body(EffectEnv(env.make()), sink, context, MachineActor(actor))
        }
    }

    /// A closure that gives events.
    static func handler<Event: Encodable & SendableMetatype, Env>(
        _ action: EffectAction<Event, Env>, env: HostedEnv<Env>
    ) -> EffectHandler {
        handler { (sink: EventChannel<Event>, _, actor) in
            let events = try await action.body(EffectEnv(env.make()), MachineActor(actor))
            try await sink.enqueue(each: events)
        }
    }

    private static func handler<Event: Encodable & SendableMetatype>(
        _ work:
            @escaping @Sendable (EventChannel<Event>, EffectContext, any Actor) async throws
            -> Void
    ) -> EffectHandler {
        EffectHandler("closure", timeout: timeout) { _, context in
            let inbox = EventChannel<Event>(capacity: inboxMax)
            let run = EffectContext(
                clock: ContinuousClock(), run: context.run, handlers: EffectHandlers(), seed: 0)
            let body = Task {
                // Closures of an instance don't share an actor, so that none waits for another.
                let actor = RunActor()
                defer { withExtendedLifetime(actor) {} }
                var failure: (any Error)?
                do { try await work(inbox, run, actor) } catch { failure = error }
                inbox.effectEnded(run.run, failure: failure)
            }
            try await withTaskCancellationHandler {
                do {
                    try await pump(inbox, to: context)
                } catch {
                    // The effect isn't current, or has failed: nobody listens any more.
                    body.cancel()
                    inbox.end()
                    throw error
                }
                inbox.end()
            } onCancel: {
                body.cancel()
            }
            return .null
        }
    }

    /// Hands the closure's events on, one after the other, until it has ended.
    ///
    /// - Throws: What the closure threw, for good; `CancellationError` when an event wasn't wanted.
    private static func pump<Event: Encodable & SendableMetatype>(
        _ inbox: EventChannel<Event>, to context: EffectHandlerContext
    ) async throws {
        var batch: [Envelope<Event>] = []
        while true {
            batch.removeAll()
            inbox.takeAll(into: &batch)
            if batch.isEmpty {
                await inbox.waitUntilFilled()
                continue
            }
            for index in batch.indices {
                switch batch[index] {
                case .event(let event, _, let answer):
                    do {
                        try await context.emit(DurableArgument.json(event))
                    } catch {
                        inbox.answer(batch[index...], with: .notApplied(.effectNotCurrent))
                        throw error
                    }
                    answer?.give(.applied)
                case .ended(_, let failure?) where !(failure is CancellationError):
                    throw PermanentFailure(String(describing: failure))
                case .ended, .kept:
                    return
                }
            }
        }
    }
}
