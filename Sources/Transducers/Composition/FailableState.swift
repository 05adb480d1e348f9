/// A state with terminal values that mean failure.
public protocol FailableState: Terminable {
    /// Whether the machine has failed. Read only when the state is terminal.
    var isFailure: Bool { get }
}
