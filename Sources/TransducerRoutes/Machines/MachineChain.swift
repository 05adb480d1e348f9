/// A chain that a machine watches, with its position.
@usableFromInline
final class MachineChain<S: StateType, E: EventType> {
    let id: Int
    let chain: RouteChain<S, E>
    /// The outcome that the handler waits for: completed or broken.
    let outcome: ChainPosition.Outcome
    let order: HandlerOrder
    let handler: Machine<S, E>.Handler
    var position = ChainPosition()

    init(
        id: Int, chain: RouteChain<S, E>, outcome: ChainPosition.Outcome, order: HandlerOrder,
        handler: @escaping Machine<S, E>.Handler
    ) {
        self.id = id
        self.chain = chain
        self.outcome = outcome
        self.order = order
        self.handler = handler
    }
}
