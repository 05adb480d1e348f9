/// The pending effects of a machine, in order, with the runtime that carries them out. Confined to
/// the machine's actor; made for the first effect, because most machines have none.
@usableFromInline
final class EffectAgenda<Event, Env> {
    typealias Pending = PendingEffect<Event, Env>

    let runtime: EffectRuntime<Event, Env>
    /// Last first.
    private var pending: [Pending] = []
    /// Whether the machine has ended: effects run, and their events are dropped.
    private var isFinal = false

    init(runtime: EffectRuntime<Event, Env>) { self.runtime = runtime }

    /// Adds a step's effects, before all others.
    func add(_ nodes: [EffectNode<Event, Env>], request: EffectRequest?) {
        for node in nodes.reversed() {
            request?.began()
            pending.append(Pending(node: node, group: nil, request: request))
        }
    }

    /// Drops what waits, cancels what runs, and adds the effects of the machine's last step.
    func beginLastStep(_ nodes: [EffectNode<Event, Env>] = []) {
        for item in pending {
            item.request?.observer.cancelled()
            item.request?.ended()
        }
        pending.removeAll()
        runtime.cancelAll()
        isFinal = true
        add(nodes, request: nil)
    }

    /// Carries out the effects that don't need the machine.
    ///
    /// - Returns: The next events to apply (then call ``ended(_:well:)``), or the next action to
    ///   await (then call ``acted(_:_:_:)``); `nil` when nothing is left.
    func next() -> Pending? {
        while let item = pending.popLast() {
            switch item.node {
            case .event, .events:
                guard isFinal else { return item }
                ended(item, well: true)
            case .action:
                return item
            case .all(let nodes):
                spread(nodes, of: item)
            case .sequence(let nodes):
                begin(nodes, of: item)
            case .operation(let operation):
                push(
                    runtime.start(
                        operation, group: item.group, request: item.request, isFinal: isFinal))
                item.request?.ended()
            case .cancel(let selector):
                push(runtime.cancel(selector))
                ended(item, well: true)
            case .updateQueue(let queue):
                push(runtime.update(queue))
                ended(item, well: true)
            }
        }
        return nil
    }

    /// Adds the events of an action, or its failure.
    func acted(
        _ action: EffectAction<Event, Env>, _ item: Pending,
        _ result: Result<[Event], any Error>
    ) {
        switch result {
        case .success(let events):
            // The part has ended when its events have been applied.
            pending.append(
                Pending(
                    node: .events(events), group: item.group, request: item.request,
                    isCaused: true))
        case .failure(let error):
            if error is CancellationError {
                item.request?.observer.cancelled()
            } else {
                push(runtime.failed(error, key: action.key, request: item.request))
            }
            ended(item, well: false)
        }
    }

    /// Records that an event of a run was refused: then its sequence ends with it.
    func refused(_ run: EffectRunID) { runtime.group(of: run)?.stop() }

    func ended(_ run: EffectRunID, failure: (any Error)?) {
        push(runtime.ended(run, failure: failure))
    }

    /// Ends the runs in a batch, the last of a machine that has ended.
    func ended(_ batch: some Sequence<Envelope<Event>>) {
        for case .ended(let run, let failure) in batch { ended(run, failure: failure) }
    }

    func cancel(_ request: EffectRequest) {
        let dropped = pending.filter { $0.request === request }
        pending.removeAll { $0.request === request }
        push(runtime.cancel(request))
        for item in dropped { ended(item, well: false) }
    }

    // MARK: Parts

    private func spread(_ nodes: [EffectNode<Event, Env>], of item: Pending) {
        guard !nodes.isEmpty else { return ended(item, well: true) }
        item.group?.began(nodes.count - 1)
        for node in nodes.reversed() {
            item.request?.began()
            pending.append(Pending(node: node, group: item.group, request: item.request))
        }
        item.request?.ended()
    }

    private func begin(_ nodes: [EffectNode<Event, Env>], of item: Pending) {
        guard let first = nodes.first else { return ended(item, well: true) }
        let group =
            nodes.count == 1
            ? item.group
            : EffectGroup(then: .sequence(Array(nodes.dropFirst())), parent: item.group)
        pending.append(Pending(node: first, group: group, request: item.request))
    }

    /// The number of pending effects.
    var count: Int { pending.count }

    /// Ends a part, and adds the next part of its sequence.
    ///
    /// - Parameter left: The number of effects that were pending before the part: its events may
    ///   have added others, which come before the next part.
    func ended(_ item: Pending, well: Bool, left: Int? = nil) {
        if let (node, group) = item.group?.ended(well: well) {
            pending.insert(
                Pending(node: node, group: group, request: item.request),
                at: left ?? pending.count)
        } else {
            item.request?.ended()
        }
    }

    private func push(_ items: [Pending]) {
        pending.append(contentsOf: items.reversed())
    }
}
