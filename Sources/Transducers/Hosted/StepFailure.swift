/// Why a step was not taken. The state is as it was.
public enum StepFailure: Error, Sendable, Equatable {
    /// The event doesn't fit the state.
    case rejected(Rejection)
    /// `update` threw something else, or a value could not be written as JSON.
    case evaluation(String)
    /// The step made more outputs, or more bytes of them or of its effects, than a step may.
    case outputLimit(String)
    /// The external event caused more immediate events than a step may apply.
    case eventLimit(Int)
    /// The state after the step would have more bytes than a state may.
    case stateTooLarge(Int, max: Int)
}
