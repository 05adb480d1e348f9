import OrderedJSON

extension EffectNode where Event: Encodable & SendableMetatype {
    /// The effect with its types erased, for a host to store.
    ///
    /// - Parameters:
    ///   - env: What closures are given; `nil` when the definition doesn't say.
    ///   - closures: Gets the closures, which can't be stored.
    /// - Throws: ``StepFailure/evaluation(_:)`` for what can't be stored or run.
    @usableFromInline
    func hosted(
        env: HostedEnv<Env>?, closures: inout HostedClosures
    ) throws(StepFailure) -> HostedEffect {
        switch self {
        case .event(let event):
            return .event(try Self.json(event))
        case .events(let events):
            var nodes: [HostedEffect] = []
            for event in events { nodes.append(.event(try Self.json(event))) }
            return .sequence(nodes)
        case .cancel(let selector):
            return .cancel(try HostedSelector(selector))
        case .updateQueue(let queue):
            return .updateQueue(HostedQueue(queue))
        case .sequence(let nodes):
            return .sequence(try Self.hosted(nodes, env, &closures))
        case .all(let nodes):
            return .all(try Self.hosted(nodes, env, &closures))
        case .action(let action):
            let handler = HostedClosure.handler(action, env: try Self.known(env))
            return .start(
                HostedRun(
                    key: HostedKey(action.key), policy: .coexist,
                    work: .closure(token: closures.add(handler)), retry: .never))
        case .operation(let operation):
            if let durable = operation.durable {
                return .start(try Self.hosted(operation, durable))
            }
            let handler = HostedClosure.handler(operation, env: try Self.known(env))
            return .start(
                Self.hosted(operation, work: .closure(token: closures.add(handler))))
        }
    }

    private static func hosted(
        _ nodes: [EffectNode], _ env: HostedEnv<Env>?, _ closures: inout HostedClosures
    ) throws(StepFailure) -> [HostedEffect] {
        var hosted: [HostedEffect] = []
        for node in nodes where !node.isEmpty {
            hosted.append(try node.hosted(env: env, closures: &closures))
        }
        return hosted
    }

    private static func known(
        _ env: HostedEnv<Env>?
    ) throws(StepFailure) -> HostedEnv<Env> {
        guard let env else {
            throw .evaluation(
                "the machine asks for a closure, which needs the environment \(Env.self): say it "
                    + "in the definition, with env:")
        }
        return env
    }

    private static func hosted(
        _ operation: EffectOperation<Event, Env>, work: HostedRun.Work
    ) -> HostedRun {
        HostedRun(
            key: HostedKey(operation.key), policy: operation.policy,
            queue: operation.queue.map { HostedQueue($0) },
            rank: Int(operation.priority?.rawValue ?? 0), work: work, retry: .never)
    }

    private static func hosted(
        _ operation: EffectOperation<Event, Env>, _ durable: DurableEffect<Event>
    ) throws(StepFailure) -> HostedRun {
        var undo: HostedRun.Undo?
        if let wanted = durable.undo {
            undo = HostedRun.Undo(
                handler: wanted.handler, argument: try json(wanted.argument))
        }
        var run = hosted(operation, work: try work(durable.kind))
        run.then = durable.then
        run.retry = durable.retry.storable
        run.timeout = durable.timeout.map { stored($0) }
        run.undo = undo
        return run
    }

    private static func work(
        _ kind: DurableEffect<Event>.Kind
    ) throws(StepFailure) -> HostedRun.Work {
        switch kind {
        case .after(let delay, let event):
            .after(milliseconds: stored(delay), event: try json(event()))
        case .perform(let handler, let argument):
            .perform(handler: handler, argument: try json(argument))
        case .send(let instance, let event, let delay):
            .send(
                to: instance, event: try json(event), milliseconds: stored(delay))
        case .start(let machine, let instance, let input, let isDetached):
            .start(
                machine: machine, instance: instance, input: try optional(input),
                detached: isDetached)
        case .ask(let expires):
            .ask(milliseconds: expires.map { stored($0) })
        case .compensate: .compensate
        }
    }

    private static func stored(_ duration: Duration) -> Int64 {
        HostedRun.storable(duration.milliseconds)
    }

    private static func optional(
        _ argument: DurableArgument?
    ) throws(StepFailure) -> JSONValue? {
        guard let argument else { return nil }
        return try json(argument)
    }

    private static func json(_ event: Event) throws(StepFailure) -> JSONValue {
        do {
            return try DurableArgument.json(event)
        } catch {
            throw unwritable(error)
        }
    }

    private static func json(_ argument: DurableArgument) throws(StepFailure) -> JSONValue {
        do {
            return try argument.value()
        } catch {
            throw unwritable(error)
        }
    }

    private static func unwritable(_ error: any Error) -> StepFailure {
        .evaluation("an effect can't be written: \(error)")
    }
}

extension HostedSelector {
    init(_ selector: EffectSelector) throws(StepFailure) {
        let choice: Choice
        switch selector.choice {
        case .id(let id): choice = .id(id.description)
        case .prefix(let prefix): choice = .prefix(prefix)
        case .all: choice = .all
        case .matching:
            throw .evaluation(
                "the machine cancels by a condition, which a server can't store: cancel by id "
                    + "or prefix")
        }
        self.init(scopes: selector.scopes.map(\.description), choice)
    }
}
