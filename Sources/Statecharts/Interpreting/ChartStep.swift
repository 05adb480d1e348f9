/// The result of a step: the new state, and the requests to the host in order.
public struct ChartStep: Sendable {
    /// The state after the step.
    public internal(set) var state: ChartState
    /// The requests, in the order in which the actions made them.
    public internal(set) var requests: [ChartRequest]
    /// Whether a transition was taken or an action performed.
    public internal(set) var isChanged: Bool
    /// The work of the step: steps of expressions, actions, and visits of states.
    var work = 0
    /// The states that were entered, where the environment asks for them.
    var entered: [Int32] = []
}
