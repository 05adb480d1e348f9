/// The reason why a step wasn't applied. The state is unchanged.
public enum StepFailure: Error, Sendable, Equatable {
    /// The event doesn't fit the state.
    case rejected(Rejection)
    /// `update` threw another error, or a value can't be encoded as JSON.
    case evaluation(String)
    /// The step has more outputs, or more bytes of them or of its effects, than allowed.
    case outputLimit(String)
    /// The event caused more immediate events than a step may apply.
    case eventLimit(Int)
    /// The event caused too much work.
    case stepLimit(String)
    /// The state after the step would have more bytes than allowed.
    case stateTooLarge(Int, max: Int)
}
