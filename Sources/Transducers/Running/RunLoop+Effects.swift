extension RunLoop {
    /// Carries out what is pending, with all that comes of it at once.
    @usableFromInline
    func carryOut(on actor: isolated any Actor) async throws {
        while !isTerminal, let item = pending.popLast() {
            switch item.node {
            case .event, .events:
                try await apply(item, on: actor)
            case .action(let action):
                try await perform(action, of: item, on: actor)
            default:
                carryOut(item, on: actor)
            }
        }
    }

    /// Carries out what needs no waiting and no state.
    private func carryOut(_ item: Pending, on actor: any Actor, isFinal: Bool = false) {
        switch item.node {
        case .all(let nodes):
            guard !nodes.isEmpty else { return ended(item, well: true) }
            item.group?.began(nodes.count - 1)
            for node in nodes.reversed() {
                pending.append(
                    Pending(node: node, group: item.group, request: item.request))
            }
        case .sequence(let nodes):
            guard let first = nodes.first else { return ended(item, well: true) }
            let group =
                nodes.count == 1
                ? item.group
                : EffectGroup(then: .sequence(Array(nodes.dropFirst())), parent: item.group)
            pending.append(Pending(node: first, group: group, request: item.request))
        case .operation(let operation):
            push(
                effects(on: actor).start(
                    operation, group: item.group, request: item.request, isFinal: isFinal))
        case .cancel(let selector):
            if let runtime { push(runtime.cancel(selector)) }
            ended(item, well: true)
        case .updateQueue(let queue):
            if let runtime { push(runtime.update(queue)) }
            ended(item, well: true)
        case .event, .events, .action:
            preconditionFailure("events and actions are part of a step")
        }
    }

    /// A part of a sequence has ended; what comes next becomes pending.
    private func ended(_ item: Pending, well: Bool) {
        guard let (node, group) = item.group?.ended(well: well) else { return }
        pending.append(Pending(node: node, group: group, request: item.request))
    }

    private func push(_ items: [Pending]) {
        pending.append(contentsOf: items.reversed())
    }

    /// Events that come out of effects: of a sequence, or of an action.
    private func apply(_ item: Pending, on actor: isolated any Actor) async throws {
        stepper.begin(item.node)
        do {
            try await settleStep(on: actor)
            ended(item, well: true)
        } catch let refusal as StepRefusal {
            if case .event(let event) = item.node {
                refuse(event, refusal.error, nil)
            } else {
                channel.noteRefused()
            }
            ended(item, well: false)
        }
    }

    private func perform(
        _ action: EffectAction<Machine.Event, Machine.Env>, of item: Pending,
        on actor: isolated any Actor
    ) async throws {
        // The environment is used on this actor, or is sendable: the action's maker saw to it.
        nonisolated(unsafe) let env = env
        let events: [Machine.Event]
        do {
            events = try await action.body(env, actor)
        } catch {
            try checkStopped()
            if !(error is CancellationError) {
                push(
                    effects(on: actor).failed(error, key: action.key, request: item.request))
            }
            ended(item, well: false)
            return
        }
        try checkStopped()
        ended(item, well: true)
        if !events.isEmpty, !isTerminal {
            pending.append(
                Pending(node: .events(events), group: nil, request: item.request))
        }
    }

    /// The work of an effect is over.
    @usableFromInline
    func ended(
        _ run: EffectRunID, _ failure: (any Error)?, on actor: isolated any Actor
    ) async throws {
        guard let runtime else { return }
        push(runtime.ended(run, failure: failure))
        try await carryOut(on: actor)
    }

    /// The machine has ended: cancels what lives, runs the effects of the last step, and waits
    /// for them.
    @usableFromInline
    func finish(
        _ rest: some Sequence<Envelope<Machine.Event>>, on actor: isolated any Actor
    ) async throws -> Machine.Output {
        channel.close()
        runtime?.cancelAll()
        while let item = pending.popLast() {
            switch item.node {
            case .event, .events: ended(item, well: true)
            case .action(let action): try await perform(action, of: item, on: actor)
            default: carryOut(item, on: actor, isFinal: true)
            }
        }
        guard let result = stepper.result else {
            preconditionFailure("a terminal step has an output")
        }
        try await awaitLastEffects(rest, on: actor)
        return result
    }

    private func awaitLastEffects(
        _ rest: some Sequence<Envelope<Machine.Event>>, on actor: isolated any Actor
    ) async throws {
        guard let runtime else { return }
        var batch = Array(rest)
        while true {
            for case .ended(let run, let failure) in batch {
                push(runtime.ended(run, failure: failure))
                while let item = pending.popLast() {
                    switch item.node {
                    case .event, .events: ended(item, well: true)
                    case .action(let action): try await perform(action, of: item, on: actor)
                    default: carryOut(item, on: actor, isFinal: true)
                    }
                }
            }
            guard runtime.hasWork else { return }
            try checkStopped()
            batch.removeAll()
            channel.takeAll(into: &batch)
            if batch.isEmpty { await channel.waitUntilFilled(isolation: actor) }
        }
    }

    /// The effects' runtime, made when the first effect is started: most machines have none.
    private func effects(
        on actor: any Actor
    ) -> EffectRuntime<Machine.Event, Machine.Env> {
        if let runtime { return runtime }
        let made = EffectRuntime<Machine.Event, Machine.Env>(
            env: env, home: channel, actor: actor, clock: options.clock, seed: options.seed,
            executor: options.executor,
            observe: { [trace = options.trace] run, key, outcome in
                trace?(TraceRecord(run, key, outcome))
            },
            failureEvent: { Machine.effectFailed($0) },
            unheard: { [channel] failure in channel.note { $0.add(failure) } })
        runtime = made
        return made
    }
}

extension TraceRecord {
    /// What there is to tell of an effect's run.
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
