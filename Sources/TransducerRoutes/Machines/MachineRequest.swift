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
