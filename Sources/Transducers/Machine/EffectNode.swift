/// An effect as a tree, without the machine's type.
@usableFromInline
enum EffectNode<Event, Env> {
    /// Applies an event within the step.
    case event(Event)
    /// Applies events within the step, in order and depth-first.
    case events([Event])
    /// Awaits a closure that returns events; the machine applies no other event meanwhile.
    case action(EffectAction<Event, Env>)
    /// Starts work beside the machine.
    case operation(EffectOperation<Event, Env>)
    /// Cancels the selected effects.
    case cancel(EffectSelector)
    /// Changes the policy of a queue.
    case updateQueue(QueueKey)
    /// Runs one after the other, each after the one before has succeeded.
    case sequence([EffectNode])
    /// Runs all at once, started in order.
    case all([EffectNode])

    /// Whether it does nothing.
    @usableFromInline var isEmpty: Bool {
        switch self {
        // No key path: for a generic type, each call would make a new one.
        case .all(let nodes), .sequence(let nodes): nodes.allSatisfy { $0.isEmpty }
        case .events(let events): events.isEmpty
        default: false
        }
    }
}

extension EffectNode: Sendable where Event: Sendable {}
