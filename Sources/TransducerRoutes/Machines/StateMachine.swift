/// A machine that can also be asked to go to a state, with or without events.
///
/// ```swift
/// let machine = StateMachine<Light, NoEvent>(state: .red) { machine in
///     machine.addRoute(.red => .green)
///     machine.addRoute(.green => [.yellow, .red])
/// }
/// machine <- .green <- .yellow
/// ```
///
/// A destination that is asked for is allowed by any state route, any state mapping and, without
/// one of these, by any event route or mapping that leads there (one to `.any` only to where the
/// machine is). As the destination is given, nothing has to win: the handlers of every state route
/// that allows it run. Use ``NoEvent`` for machines without events.
public final class StateMachine<S: StateType, E: EventType>: Machine<S, E> {
    /// A closure that says where one may go from a state, `nil` for nowhere.
    public typealias StateRouteMapping = (_ fromState: S, _ userInfo: Any?) -> [S]?

    /// A machine in `state`, with what `initClosure` adds to it.
    public override init(state: S, initClosure: ((StateMachine) -> Void)? = nil) {
        super.init(state: state, initClosure: nil)
        initClosure?(self)
    }

    /// Adds routes and handlers in a closure, to keep them together.
    public override func configure(_ closure: (StateMachine) -> Void) { closure(self) }

    // MARK: Asking

    /// Whether one could go along the arrow, wherever the machine is. An arrow with `.any` has no
    /// route: the question is about two states.
    public func hasRoute(_ transition: Transition<S>, userInfo: Any? = nil) -> Bool {
        guard let from = transition.fromState.rawValue, let to = transition.toState.rawValue
        else { return false }
        return hasRoute(fromState: from, toState: to, userInfo: userInfo)
    }

    /// Whether one could go from the one state to the other, wherever the machine is.
    public func hasRoute(fromState: S, toState: S, userInfo: Any? = nil) -> Bool {
        var rules = MachineRules(
            table: table(), event: nil, from: fromState, userInfo: userInfo)
        return rules.decide(to: toState) != nil
    }

    /// Whether ``tryState(_:userInfo:)`` would go there. Conditions and mappings are asked, no
    /// handler runs and nothing changes.
    public func canTryState(_ toState: S, userInfo: Any? = nil) -> Bool {
        hasRoute(fromState: state, toState: toState, userInfo: userInfo)
    }

    // MARK: Moving

    /// Goes to a state if a route allows it; if none does, the error handlers run and nothing
    /// changes.
    ///
    /// - Returns: Whether it went; within a handler `true`, for it is tried afterwards.
    @inlinable
    @discardableResult
    public func tryState(_ toState: S, userInfo: Any? = nil) -> Bool {
        attempt(.state(toState, userInfo: userInfo))
    }
}
