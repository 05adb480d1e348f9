import OrderedJSON

extension EffectNode where Event: Encodable & SendableMetatype {
    /// The effect without its types, for a server to store.
    ///
    /// - Parameters:
    ///   - env: The environment of closures; `nil` if the definition has none.
    ///   - closures: Gets the closures, which can't be stored.
    /// - Throws: ``StepFailure/evaluation(_:)`` for an effect that can't be stored or run.
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
        let work = try durable.work.map(
            event: { (event) throws(StepFailure) in try json(event()) }, argument: encoded)
        var run = hosted(operation, work: work)
        run.then = durable.then
        run.retry = durable.retry.storable
        run.timeout = durable.timeout.map { HostedRun.storable($0) }
        if let undo = durable.undo {
            run.undo = HostedRun.Undo(handler: undo.handler, argument: try encoded(undo.argument))
        }
        return run
    }

    private static func json(_ event: Event) throws(StepFailure) -> JSONValue {
        do {
            return try DurableArgument.json(event)
        } catch {
            throw unwritable(error)
        }
    }

    private static func encoded(_ argument: DurableArgument) throws(StepFailure) -> JSONValue {
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
