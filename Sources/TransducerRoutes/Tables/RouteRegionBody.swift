/// A nested table with its types erased to those of the table around it.
@usableFromInline
struct RouteRegionBody<State: StateType, Event: EventType, Output>: Sendable {
    typealias Decision = RouteDecision<State, RouteReaction<Event, Output>>
    typealias Edge = RouteEdge<State, Event>

    let name: String
    /// Whether a state is inside.
    @usableFromInline let isActive: @Sendable (State) -> Bool
    /// Applies an event inside.
    let apply: @Sendable (Event, State, inout GuardRefusals) -> Decision?
    /// Goes from state to state inside.
    let move: @Sendable (State, State, inout GuardRefusals) -> Decision?
    /// Whether an event has a route inside, guarded or not.
    let hasWay: @Sendable (Event, State) -> Bool
    /// The events that are accepted inside.
    let accepted: @Sendable (State) -> [Event]
    /// The label of the state inside.
    let innerLabel: @Sendable (State) -> String?
    /// The possible edges of an event inside, and those of a move.
    let edges: @Sendable (Event, State) -> [Edge]
    let moveEdges: @Sendable (State, State) -> [Edge]
    /// The diagram of the inside, whose ids begin with a prefix.
    let diagram: @Sendable (String) -> StateDiagram
}
