/// A machine whose states can also be requested, with or without events.
///
/// ```swift
/// let machine = StateMachine<Light, NoEvent>(state: .red) { machine in
///     machine.addRoute(.red => .green)
///     machine.addRoute(.green => [.yellow, .red])
/// }
/// machine <- .green <- .yellow
/// ```
///
/// A requested destination is allowed by any state route, any state mapping and, without one of
/// these, by any event route or mapping that leads there (one to `.any` only to the present state).
/// The handlers of every state route that allows it run. Use ``NoEvent`` for machines without
/// events.
public final class StateMachine<S: StateType, E: EventType>: Machine<S, E> {
    /// Computes the allowed destinations from a state, `nil` for none.
    public typealias StateRouteMapping = (_ fromState: S, _ userInfo: Any?) -> [S]?

    /// A machine in `state`, with the routes and handlers that `initClosure` adds.
    public override init(state: S, initClosure: ((StateMachine) -> Void)? = nil) {
        super.init(state: state, initClosure: nil)
        initClosure?(self)
    }

    /// Calls `closure` with the machine, to keep additions together.
    public override func configure(_ closure: (StateMachine) -> Void) { closure(self) }

    // MARK: Asking

    /// Whether the arrow is allowed, in any state of the machine; `false` for an arrow with `.any`.
    public func hasRoute(_ transition: Transition<S>, userInfo: Any? = nil) -> Bool {
        guard let from = transition.fromState.rawValue, let to = transition.toState.rawValue
        else { return false }
        return hasRoute(fromState: from, toState: to, userInfo: userInfo)
    }

    /// Whether a change from the one state to the other is allowed, in any state of the machine.
    public func hasRoute(fromState: S, toState: S, userInfo: Any? = nil) -> Bool {
        var rules = MachineRules(
            table: table(), event: nil, from: fromState, userInfo: userInfo)
        return rules.decide(to: toState) != nil
    }

    /// Whether ``tryState(_:userInfo:)`` would succeed. Conditions and mappings are called, no
    /// handler runs and nothing changes.
    public func canTryState(_ toState: S, userInfo: Any? = nil) -> Bool {
        hasRoute(fromState: state, toState: toState, userInfo: userInfo)
    }

    // MARK: Moving

    /// Goes to a state if a route allows it; else the error handlers run and nothing changes.
    ///
    /// - Returns: Whether it succeeded; within a handler `true`, because it is tried later.
    @inlinable
    @discardableResult
    public func tryState(_ toState: S, userInfo: Any? = nil) -> Bool {
        attempt(.state(toState, userInfo: userInfo))
    }
}
