/// A condition with an identity.
@usableFromInline
final class ConditionBox<S: StateType, E: EventType> {
    @usableFromInline let condition: Machine<S, E>.Condition

    init(_ condition: @escaping Machine<S, E>.Condition) { self.condition = condition }
}
