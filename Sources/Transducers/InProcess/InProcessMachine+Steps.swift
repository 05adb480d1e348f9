// A step, the effects it asks for, and the end.
extension InProcessMachine {
    /// Applies the stepper's events.
    ///
    /// - Returns: The error, if they were refused.
    func applyStep(_ request: EffectRequest?) -> (any Error)? {
        do {
            while true {
                let ending = try stepper.advance(&state)
                finishStep(ending, request)
                if ending != .paused { return nil }
            }
        } catch {
            return error
        }
    }

    /// Keeps the outputs and effects of a step.
    @usableFromInline
    func finishStep(_ ending: Stepper<Machine>.Ending, _ request: EffectRequest?) {
        if stepper.isTraced { stepper.flush(to: options.trace) }
        if !stepper.outputs.isEmpty {
            if let results = request?.observer as? SendResults<Machine.Output> {
                for output in stepper.outputs where !NoOutput.isSilent(output) {
                    results.yield(.success(output))
                }
            }
            if isListenedTo { outbox.append(contentsOf: stepper.outputs) }
            stepper.outputs.removeAll(keepingCapacity: true)
        }
        if ending == .terminal {
            end()
        } else if ending == .done, !stepper.effects.isEmpty {
            effects().add(stepper.effects, request: request)
            stepper.effects.removeAll(keepingCapacity: true)
        }
    }

    /// Completes a step that ``applyQuickly(_:)`` has begun.
    @usableFromInline
    func resumeStep(after ending: Stepper<Machine>.Ending) {
        if ending == .paused, applyStep(nil) != nil { report.refusedCount += 1 }
        carryOut()
    }

    /// Carries out the pending effects, until an action must be awaited.
    @usableFromInline
    func carryOut() {
        guard let agenda else { return }
        while isReady, let item = agenda.next() {
            if case .action(let action) = item.node {
                isReady = false
                begin(action, item)
            } else {
                apply(item, of: agenda)
            }
        }
    }

    /// Applies events that come out of effects: of a sequence, of an action, of a failure.
    private func apply(
        _ item: PendingEffect<Machine.Event, Machine.Env>,
        of agenda: EffectAgenda<Machine.Event, Machine.Env>
    ) {
        let (receiver, left) = (item.receiver, agenda.count)
        stepper.keepsOutputs = isListenedTo || receiver != nil
        stepper.begin(item.node)
        let error = applyStep(receiver)
        if let error {
            if case .event(let event) = item.node {
                options.trace?(.refused(event, state: state, error: error))
            }
            if let receiver {
                receiver.observer.failed(error)
            } else {
                report.refusedCount += 1
            }
        }
        // A machine that has ended has dropped the rest.
        if hasEnded {
            agenda.ended(item, well: false)
        } else {
            agenda.ended(item, well: error == nil, left: left)
        }
    }

    private func begin(
        _ action: EffectAction<Machine.Event, Machine.Env>,
        _ item: PendingEffect<Machine.Event, Machine.Env>
    ) {
        acting = (action, item)
        isActionStopped = false
        deferred.start { [weak self] in
            // The machine may have been cancelled meanwhile, and await another action.
            guard let self, acting?.0 === action, actionTask == nil else { return }
            actionTask = perform(action)
            if isActionStopped, let actionTask { deferred.cancel(actionTask) }
        }
    }

    private func perform(
        _ action: EffectAction<Machine.Event, Machine.Env>
    ) -> Task<Void, Never>? {
        guard let owner else { return nil }
        let env = EffectEnv(env)
        let actor = MachineActor(owner.effectActor)
        return Task { [weak owner] in
            let result = await action.result(env, actor)
            owner?.actionEnded(result)
        }
    }

    func actionEnded(_ result: Result<[Machine.Event], any Error>) {
        guard let (action, item) = acting else { return }
        deferred.release(action)
        acting = nil
        actionTask = nil
        agenda?.acted(action, item, result)
        isReady = !hasEnded
        carryOut()
        drain()
    }

    func effects() -> EffectAgenda<Machine.Event, Machine.Env> {
        if let agenda { return agenda }
        guard let owner else { preconditionFailure("a machine has an owner while it is driven") }
        let inbox = EventChannel<Machine.Event>(capacity: inboxSize)
        do {
            try inbox.begin(effectCapacity: options.effectBufferSize, onStop: { _ in })
        } catch {
            preconditionFailure("a new inbox is free: \(error)")
        }
        inbox.callWhenFilled { [weak owner] in owner?.wake() }
        let made = EffectAgenda(
            runtime: EffectRuntime<Machine.Event, Machine.Env>(
                machine: Machine.self, env: env, inbox: inbox, actor: owner.effectActor,
                options: options, launch: { [deferred] in deferred.start($0) },
                cancel: { [deferred] in deferred.cancel($0) },
                release: { [deferred] in deferred.release($0) },
                unreported: { [unowned self] in report.add($0) }))
        self.inbox = inbox
        agenda = made
        hasEffects = true
        return made
    }

    // MARK: The end

    func end() {
        hasEnded = true
        isReady = false
        refuseWaiting()
        guard let result = stepper.result else {
            preconditionFailure("a terminal step has an output")
        }
        guard agenda != nil || !stepper.effects.isEmpty else {
            outcome = .success(result)
            return
        }
        let agenda = effects()
        agenda.beginLastStep(stepper.effects)
        stepper.effects.removeAll()
        inbox?.close()
        drainLastStep()
    }

    /// Runs the last step's effects, until they have ended.
    func drainLastStep() {
        guard hasEnded, outcome == nil, let agenda, let inbox else { return }
        batch.removeAll()
        inbox.takeAll(into: &batch)
        agenda.ended(batch)
        batch.removeAll()
        while acting == nil, let item = agenda.next(), case .action(let action) = item.node {
            begin(action, item)
        }
        if acting == nil, !agenda.runtime.hasWork, let result = stepper.result {
            outcome = .success(result)
        }
    }

    func refuseWaiting() {
        for envelope in batch {
            if case .event(_, _, let answer) = envelope { answer?.give(.notApplied(.ended)) }
        }
        for waiting in backlog {
            refuse(waiting.event, TransducerError.ended, waiting.request, waiting.answer)
        }
        batch.removeAll()
        backlog.removeAll()
    }

    /// Ends the machine from outside: cancels its effects, and answers waiting events.
    func cancel(_ error: any Error) {
        guard outcome == nil else { return }
        hasEnded = true
        isReady = false
        outcome = .failure(error)
        stopAction()
        acting = nil
        refuseWaiting()
        agenda?.beginLastStep()
        inbox?.stop(error)
    }

    private func stopAction() {
        if let acting { deferred.release(acting.0) }
        if let actionTask { deferred.cancel(actionTask) }
        isActionStopped = true
    }

    func cancel(_ request: EffectRequest) {
        if let acting, acting.1.request === request { stopAction() }
        let dropped = backlog.filter { $0.request === request }
        if !dropped.isEmpty {
            backlog.removeAll { $0.request === request }
            inbox?.giveUpPlaces(Set(dropped.map(\.number)))
        }
        for waiting in dropped { waiting.request?.ended() }
        agenda?.cancel(request)
        carryOut()
    }
}
