/// A nested table with its types erased to those of the table around it.
@usableFromInline
struct RouteRegionBody<State: StateType, Event: EventType, Output>:
    Sendable
{
    /// What a change inside makes of the state around, and what its handlers want.
    @usableFromInline
    struct Inside {
        let toState: State
        let react: () -> RouteReaction<Event, Output>
    }

    let name: String
    /// Whether a state is inside.
    @usableFromInline let isActive: @Sendable (State) -> Bool
    /// Applies an event inside.
    let take: @Sendable (Event, State, inout GuardRefusals) -> Inside?
    /// Goes from state to state inside.
    let move: @Sendable (State, State, inout GuardRefusals) -> Inside?
    /// Whether anything inside could take an event.
    let hasWay: @Sendable (Event, State) -> Bool
    /// Which events are taken inside.
    let accepted: @Sendable (State) -> [Event]
    /// The label of the state inside.
    let innerLabel: @Sendable (State) -> String?
    /// Where an event could lead by what is inside, and what could allow a move.
    let ways: @Sendable (Event, State) -> [RouteWay<State, Event>]
    let moveWays: @Sendable (State, State) -> [RouteWay<State, Event>]
    /// What is inside, drawn with ids that begin with a prefix.
    let diagram: @Sendable (String) -> StateDiagram
}
