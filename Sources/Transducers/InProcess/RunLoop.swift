/// One run of a machine in process: it dequeues events, applies them, delivers outputs, and carries
/// out effects. Confined to the actor it runs on.
@usableFromInline
final class RunLoop<Machine: RunnableTransducer, Store: Storage, Sink: Subject>
where Store.Value == Machine.State, Sink.Value == Machine.Output {
    @usableFromInline let storage: Store
    @usableFromInline let channel: EventChannel<Machine.Event>
    @usableFromInline let env: Machine.Env
    @usableFromInline let sink: Sink
    @usableFromInline let options: RunOptions<Machine>
    @usableFromInline let isListenedTo: Bool
    @usableFromInline var stepper: Stepper<Machine>
    @usableFromInline var agenda: EffectAgenda<Machine.Event, Machine.Env>?
    @usableFromInline var isTerminal = false
    /// The output of the last step, when the run has ended.
    @usableFromInline var output: Machine.Output?
    /// ``run(on:)`` as a parameter, so that it is specialized for its types.
    @usableFromInline let life: Life

    @usableFromInline
    typealias Life = (RunLoop, isolated any Actor) async throws -> Machine.Output

    @inlinable
    init(
        storage: Store, channel: EventChannel<Machine.Event>, env: Machine.Env, sink: Sink,
        options: RunOptions<Machine>, life: @escaping Life
    ) {
        self.life = life
        self.storage = storage
        self.channel = channel
        self.env = env
        self.sink = sink
        self.options = options
        self.isListenedTo = Sink.self != NoCallback<Machine.Output>.self
        self.stepper = Stepper(
            immediateEventsMax: options.immediateEventsMax, keepsOutputs: isListenedTo,
            isTraced: options.trace != nil)
    }

    /// Runs the machine to its end.
    ///
    /// - Returns: The output of the last step.
    @inlinable
    func run(on actor: isolated any Actor) async throws -> Machine.Output {
        defer { channel.end() }
        try checkStopped()
        let first = Machine.initialOutput(initialState: storage.value)
        if let first, isListenedTo { try await deliver(first, on: actor) }
        if storage.value.isTerminal {
            guard let result = first ?? (() as? Machine.Output) else {
                throw TransducerError.noOutputProduced
            }
            return result
        }
        var batch: [Envelope<Machine.Event>] = []
        while true {
            try checkStopped()
            batch.removeAll(keepingCapacity: true)
            channel.takeAll(into: &batch)
            if batch.isEmpty {
                await channel.waitUntilFilled(isolation: actor)
                continue
            }
            if let result = try await work(through: batch, on: actor) { return result }
        }
    }

    /// - Returns: The result, if the machine has ended.
    @inlinable
    func work(
        through batch: [Envelope<Machine.Event>], on actor: isolated any Actor
    ) async throws -> Machine.Output? {
        var index = 0
        // Every sender gets an answer, also of the event in which it ends: the inbox keeps the
        // answers of dequeued events.
        defer {
            if index < batch.count {
                channel.answer(
                    batch[index...],
                    with: .notApplied(channel.isStopped ? .cancelled : .ended))
            }
        }
        while index < batch.count {
            try checkStopped()
            let envelope = batch[index]
            index += 1
            switch envelope {
            case .event(let event, let run, let answer):
                try await apply(event, from: run, answer, on: actor)
            case .ended(let run, let failure):
                try await ended(run, failure, on: actor)
            case .kept:
                preconditionFailure("a run keeps its events in the inbox")
            }
            if isTerminal { return try await finish(batch[index...], on: actor) }
        }
        return nil
    }

    /// Applies an event, delivers what comes out, and carries out what it asks for.
    @inlinable
    func apply(
        _ event: Machine.Event, from run: EffectRunID?, _ answer: PendingAnswer?,
        on actor: isolated any Actor
    ) async throws {
        if let run, !isCurrent(run) {
            options.trace?(.staleEvent(event, run))
            channel.recordStale()
            answer?.give(.notApplied(.effectNotCurrent))
            return
        }
        // Its sender may already have the answer that the run has ended.
        if let answer, !answer.begin() { return }
        stepper.begin(.event(event))
        if let error = try await applyStep(answer, on: actor) {
            if let run { refused(run) }
            return refuse(event, error, answer)
        }
        if agenda != nil { try await carryOut(on: actor) }
        answer?.give(.applied)
    }

    /// Applies the events in the stepper, delivers the outputs and plans the effects.
    ///
    /// - Parameter answer: The answer of the event with which the step began.
    /// - Returns: The reason for which the step was refused, if it was.
    /// - Throws: The error that ends the run.
    @inlinable
    func applyStep(
        _ answer: PendingAnswer? = nil, on actor: isolated any Actor
    ) async throws -> (any Error)? {
        var ending: Stepper<Machine>.Ending
        repeat {
            var state = storage.value
            do {
                ending = try stepper.advance(&state)
            } catch {
                return error
            }
            storage.value = state
            answer?.markStored()
            try await deliverStep(on: actor)
        } while ending == .paused
        if ending == .terminal {
            // `finish` carries out the effects of the last step.
            isTerminal = true
        } else if !stepper.effects.isEmpty {
            planEffects(on: actor)
        }
        return nil
    }

    @usableFromInline
    func planEffects(on actor: any Actor) {
        agenda(on: actor).add(stepper.effects, request: nil)
        stepper.effects.removeAll(keepingCapacity: true)
    }

    @usableFromInline
    func isCurrent(_ run: EffectRunID) -> Bool { agenda?.runtime.isCurrent(run) == true }

    @usableFromInline
    func refused(_ run: EffectRunID) { agenda?.refused(run) }

    @inlinable
    func deliverStep(on actor: isolated any Actor) async throws {
        if stepper.isTraced { stepper.flush(to: options.trace) }
        guard !stepper.outputs.isEmpty else { return }
        let outputs = stepper.outputs
        stepper.outputs.removeAll(keepingCapacity: true)
        for output in outputs { try await deliver(output, on: actor) }
    }

    @inlinable
    func deliver(_ output: Machine.Output, on actor: isolated any Actor) async throws {
        if channel.sendersWait {
            try await asPart(on: actor) {
                // A value for another actor is sendable: `Callback` checks that.
                try await sink.send(Handover(unchecked: output).take(), isolated: actor)
            }
        } else {
            // As above.
            try await sink.send(Handover(unchecked: output).take(), isolated: actor)
        }
        try checkStopped()
    }

    /// Runs `body` as part of the step.
    @usableFromInline
    func asPart(on actor: isolated any Actor, _ body: () async throws -> Void) async throws {
        try await StepInProgress.run(of: channel, isolation: actor, body)
    }

    @inlinable
    func checkStopped() throws {
        if channel.isStopped { throw TransducerError.cancelled }
    }

    @usableFromInline
    func refuse(_ event: Machine.Event, _ error: any Error, _ answer: PendingAnswer?) {
        options.trace?(.refused(event, state: storage.value, error: error))
        if let answer {
            answer.give(SendVerdict(refusal: error))
        } else {
            channel.recordRefused()
        }
    }
}

extension SendVerdict {
    /// The answer to the sender of an event for which `update` threw.
    @usableFromInline
    init(refusal error: any Error) {
        self =
            switch error {
            case let rejection as Rejection: .refused(rejection)
            case let error as TransducerError: .notApplied(error)
            default: .failed(reason: String(describing: error))
            }
    }
}
