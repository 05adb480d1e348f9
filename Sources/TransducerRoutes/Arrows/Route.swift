/// One or several arrows with a condition, for ``Machine`` and ``StateMachine``.
///
/// Tables take arrows and ``RouteGuard`` instead, whose closures may cross threads.
public struct Route<S: StateType, E: EventType> {
    /// The arrows that are allowed.
    public let transitions: TransitionSet<S>

    /// The condition of each of them; `nil` for none.
    public var condition: Machine<S, E>.Condition? { box?.condition }

    /// The condition as an object, so that its answer can be stored within one attempt.
    let box: ConditionBox<S, E>?

    /// One arrow with a condition.
    public init(transition: Transition<S>, condition: Machine<S, E>.Condition?) {
        self.init(transitions: TransitionSet(transition), box: condition.map(ConditionBox.init))
    }

    /// Several arrows with one condition, which is called per arrow.
    public init(transitions: TransitionSet<S>, condition: Machine<S, E>.Condition? = nil) {
        self.init(transitions: transitions, box: condition.map(ConditionBox.init))
    }

    init(transitions: TransitionSet<S>, box: ConditionBox<S, E>?) {
        self.transitions = transitions
        self.box = box
    }

    /// The arrow; of several, the narrowest that covers all.
    public var transition: Transition<S> { transitions.hull }
}
