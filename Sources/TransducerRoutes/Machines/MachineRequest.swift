/// Something a machine is asked for.
@usableFromInline
struct MachineRequest<S: StateType, E: EventType> {
    @usableFromInline
    enum Kind {
        case event(E)
        case state(S)
    }

    @usableFromInline let kind: Kind
    @usableFromInline let userInfo: Any?

    @inlinable
    init(kind: Kind, userInfo: Any?) {
        self.kind = kind
        self.userInfo = userInfo
    }

    @inlinable
    var event: E? { if case .event(let event) = kind { event } else { nil } }

    @inlinable
    var toState: S? { if case .state(let state) = kind { state } else { nil } }
}

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
