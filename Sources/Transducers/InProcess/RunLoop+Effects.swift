extension RunLoop {
    /// Carries out the pending effects, with all immediate events they cause.
    @usableFromInline
    func carryOut(on actor: isolated any Actor) async throws {
        guard let agenda else { return }
        while !isTerminal, let item = agenda.next() {
            if case .action(let action) = item.node {
                agenda.acted(action, item, try await perform(action, on: actor))
            } else {
                let left = agenda.count
                let isApplied = try await apply(item.node, on: actor)
                if !isTerminal { agenda.ended(item, well: isApplied, left: left) }
            }
        }
    }

    /// Applies events that come out of effects: of a sequence, of an action, of a failure.
    ///
    /// - Returns: Whether they were accepted.
    private func apply(
        _ node: EffectNode<Machine.Event, Machine.Env>, on actor: isolated any Actor
    ) async throws -> Bool {
        stepper.begin(node)
        guard let error = try await applyStep(on: actor) else { return true }
        if case .event(let event) = node {
            refuse(event, error, nil)
        } else {
            channel.recordRefused()
        }
        return false
    }

    private func perform(
        _ action: EffectAction<Machine.Event, Machine.Env>, on actor: isolated any Actor
    ) async throws -> Result<[Machine.Event], any Error> {
        var result = Result<[Machine.Event], any Error>.success([])
        let env = EffectEnv(env)
        if channel.sendersWait {
            try await asPart(on: actor) {
                result = await action.result(env, MachineActor(actor))
            }
        } else {
            result = await action.result(env, MachineActor(actor))
        }
        try checkStopped()
        return result
    }

    @usableFromInline
    func ended(
        _ run: EffectRunID, _ failure: (any Error)?, on actor: isolated any Actor
    ) async throws {
        agenda?.ended(run, failure: failure)
        try await carryOut(on: actor)
    }

    /// Ends the machine: cancels its live effects, runs those of the last step, and waits for them.
    @usableFromInline
    func finish(
        _ rest: some Sequence<Envelope<Machine.Event>>, on actor: isolated any Actor
    ) async throws -> Machine.Output {
        channel.close()
        guard let result = stepper.result else {
            preconditionFailure("a terminal step has an output")
        }
        guard agenda != nil || !stepper.effects.isEmpty else { return result }
        let agenda = agenda(on: actor)
        agenda.beginLastStep(stepper.effects)
        var batch = Array(rest)
        while true {
            agenda.ended(batch)
            while let item = agenda.next(), case .action(let action) = item.node {
                agenda.acted(action, item, try await perform(action, on: actor))
            }
            guard agenda.runtime.hasWork else { return result }
            try checkStopped()
            batch.removeAll()
            channel.takeAll(into: &batch)
            if batch.isEmpty { await channel.waitUntilFilled(isolation: actor) }
        }
    }

    @usableFromInline
    func agenda(on actor: any Actor) -> EffectAgenda<Machine.Event, Machine.Env> {
        if let agenda { return agenda }
        let made = EffectAgenda(
            runtime: EffectRuntime<Machine.Event, Machine.Env>(
                machine: Machine.self, env: env, inbox: channel, actor: actor, options: options,
                unreported: { [channel] failure in channel.record { $0.add(failure) } }))
        agenda = made
        return made
    }
}

extension TraceRecord {
    init(
        _ run: EffectRunID, _ key: EffectKey,
        _ outcome: EffectRuntime<Machine.Event, Machine.Env>.Outcome
    ) {
        self =
            switch outcome {
            case .started: .effectStarted(run, key)
            case .ended: .effectEnded(run, key)
            case .cancelled: .effectCancelled(run, key)
            case .failed(let error):
                .effectFailed(run, EffectFailure(id: key.isNamed ? key : nil, error: error))
            }
    }
}
