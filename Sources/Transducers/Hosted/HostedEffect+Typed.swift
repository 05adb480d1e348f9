import OrderedJSON

extension EffectNode where Event: Encodable & SendableMetatype {
    /// The effect without its types, for a server to store. Inlinable, so that frequent effects are
    /// made by code for the concrete types (``TypedStep``).
    ///
    /// - Parameters:
    ///   - env: The environment of closures; `nil` if the definition has none.
    ///   - closures: Gets the closures, which can't be stored.
    /// - Throws: ``StepFailure/evaluation(_:)`` for an effect that can't be stored or run.
    @inlinable
    func hosted(
        env: HostedEnv<Env>?, closures: inout HostedClosures
    ) throws(StepFailure) -> HostedEffect {
        if case .operation(let operation) = self, let durable = operation.durable {
            return .start(try Self.hosted(operation, durable))
        }
        return try hostedRarely(env: env, closures: &closures)
    }

    /// The same for effects that aren't durable work.
    @usableFromInline
    func hostedRarely(
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
            let handler = HostedClosure.handler(operation, env: try Self.known(env))
            return .start(
                HostedRun(
                    operation.key, operation.policy, operation.queue, operation.priority,
                    work: .closure(token: closures.add(handler)), retry: .never))
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

    @inlinable
    static func hosted(
        _ operation: EffectOperation<Event, Env>, _ durable: DurableEffect<Event>
    ) throws(StepFailure) -> HostedRun {
        let work: HostedRun.Work = try durable.work.map(
            event: { (event) throws(StepFailure) in try json(event()) },
            argument: { (argument) throws(StepFailure) in try argument.stored() })
        var run = HostedRun(
            operation.key, operation.policy, operation.queue, operation.priority, work: work,
            retry: durable.retry.storable)
        run.then = durable.then
        if let timeout = durable.timeout { run.timeout = HostedRun.storable(timeout) }
        if let undo = durable.undo { run.undo = try undo.stored() }
        return run
    }

    @usableFromInline
    static func json(_ event: Event) throws(StepFailure) -> JSONValue {
        do {
            return try DurableArgument.json(event)
        } catch {
            throw .unwritable(error)
        }
    }
}

extension DurableArgument {
    /// The value as JSON, for a row.
    @usableFromInline
    func stored() throws(StepFailure) -> JSONValue {
        do {
            return try value()
        } catch {
            throw .unwritable(error)
        }
    }
}

extension EffectUndo {
    /// The call as a row has it.
    @usableFromInline
    func stored() throws(StepFailure) -> HostedRun.Undo {
        HostedRun.Undo(handler: handler, argument: try argument.stored())
    }
}

extension HostedRun {
    @usableFromInline
    init(
        _ key: EffectKey, _ policy: EffectPolicy, _ queue: QueueKey?, _ priority: TaskPriority?,
        work: Work, retry: RetryPolicy
    ) {
        self.init(
            key: HostedKey(key), policy: policy, queue: queue.map { HostedQueue($0) },
            rank: Int(priority?.rawValue ?? 0), work: work, retry: retry)
    }
}

extension StepFailure {
    fileprivate static func unwritable(_ error: any Error) -> StepFailure {
        .evaluation("an effect can't be written: \(error)")
    }
}

extension HostedSelector {
    init(_ selector: EffectSelector) throws(StepFailure) {
        let choice: Choice
        var id: AnyKey?
        switch selector.choice {
        case .id(let chosen):
            id = chosen
            choice = .id(chosen.description)
        case .prefix(let prefix): choice = .prefix(prefix)
        case .all: choice = .all
        case .matching:
            throw .evaluation(
                "the machine cancels by a condition, which a server can't store: cancel by id "
                    + "or prefix")
        }
        self.init(scopes: selector.scopes.map(\.description), choice)
        types = HostedKey.types(of: selector.scopes, id)
    }
}
