/// A state of which some terminal ones mean failure.
public protocol FailableState: Terminable {
    /// Whether the machine has failed. Asked only when the state is terminal.
    var isFailure: Bool { get }
}
