/// What a refusal was about; made into words when somebody asks.
struct MachineRefusal<S: StateType, E: EventType> {
    let table: MachineTable<S, E>
    let request: MachineRequest<S, E>
    let fromState: S
    let reason: RouteRefusal<S, E>.Reason

    var refusal: RouteRefusal<S, E> {
        RouteRefusal(
            fromState: fromState, event: request.event, toState: request.toState,
            reason: reason, accepts: table.accepts(in: fromState, but: request.event))
    }
}
