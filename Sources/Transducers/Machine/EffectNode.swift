/// An effect as a tree of what is to be done, without the machine's type.
@usableFromInline
enum EffectNode<Event, Env> {
    /// Applies an event within the step.
    case event(Event)
    /// Applies events within the step, in order and depth-first.
    case events([Event])
    /// Awaits a closure that gives events; the machine takes no other event meanwhile.
    case action(EffectAction<Event, Env>)
    /// Starts work beside the machine.
    case operation(EffectOperation<Event, Env>)
    /// Cancels what is meant.
    case cancel(EffectSelector)
    /// Makes a queue's new policy known.
    case updateQueue(QueueKey)
    /// One after the other: each begins when the work of the one before has ended well.
    case sequence([EffectNode])
    /// All, begun in order.
    case all([EffectNode])

    /// Whether nothing is to be done.
    @usableFromInline var isEmpty: Bool {
        switch self {
        // No key path: of a generic type, it would be made again for each call.
        case .all(let nodes), .sequence(let nodes): nodes.allSatisfy { $0.isEmpty }
        case .events(let events): events.isEmpty
        default: false
        }
    }
}

extension EffectNode: Sendable where Event: Sendable {}
