import OrderedJSON

extension EffectNode where Event: Encodable {
    /// The effect with its types erased, for a host to store.
    ///
    /// - Throws: ``StepFailure/evaluation(_:)`` for what can't be stored.
    @usableFromInline
    func hosted() throws(StepFailure) -> HostedEffect {
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
            return .sequence(try Self.hosted(nodes))
        case .all(let nodes):
            return .all(try Self.hosted(nodes))
        case .action:
            throw .evaluation(
                "the machine asks for an action, which is a closure: a server stores its "
                    + "effects; use perform with a handler")
        case .operation(let operation):
            guard let durable = operation.durable else {
                throw .evaluation(
                    "the machine asks for an operation, which is a closure: a server stores its "
                        + "effects; use perform with a handler")
            }
            return .start(try Self.hosted(operation, durable))
        }
    }

    private static func hosted(_ nodes: [EffectNode]) throws(StepFailure) -> [HostedEffect] {
        var hosted: [HostedEffect] = []
        for node in nodes where !node.isEmpty { hosted.append(try node.hosted()) }
        return hosted
    }

    private static func hosted(
        _ operation: EffectOperation<Event, Env>, _ durable: DurableEffect<Event>
    ) throws(StepFailure) -> HostedRun {
        var undo: HostedRun.Undo?
        if let wanted = durable.undo {
            undo = HostedRun.Undo(
                handler: wanted.handler, argument: try json(wanted.argument))
        }
        return HostedRun(
            key: HostedKey(operation.key), policy: HostedRun.Policy(operation.policy),
            queue: operation.queue.map { HostedQueue($0) },
            rank: Int(operation.priority?.rawValue ?? 0), work: try work(durable.kind),
            then: durable.then, retry: durable.retry, timeout: durable.timeout.map { stored($0) },
            undo: undo)
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

    /// Milliseconds from 0 to what JSON can say exactly, 285,000 years.
    private static func stored(_ duration: Duration) -> Int64 {
        min(max(0, duration.milliseconds), 1 << 53 - 1)
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

extension HostedRun.Policy {
    init(_ policy: EffectPolicy) {
        self =
            switch policy {
            case .replace: .replace
            case .coexist: .coexist
            case .keepOldest: .keepOldest
            }
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
