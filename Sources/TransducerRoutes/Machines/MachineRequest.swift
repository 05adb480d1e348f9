/// A request to a machine: an event or a destination, with a value for conditions and handlers.
@usableFromInline
enum MachineRequest<S: StateType, E: EventType> {
    case event(E, userInfo: Any?)
    case state(S, userInfo: Any?)

    @inlinable
    var event: E? { if case .event(let event, _) = self { event } else { nil } }

    @inlinable
    var toState: S? { if case .state(let state, _) = self { state } else { nil } }

    @inlinable
    var userInfo: Any? {
        switch self {
        case .event(_, let userInfo), .state(_, let userInfo): userInfo
        }
    }
}
