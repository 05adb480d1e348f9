/// A state that knows whether it is final. A machine whose state is terminal takes no more events.
public protocol Terminable {
    /// Whether no event is taken in this state any more.
    var isTerminal: Bool { get }
}
