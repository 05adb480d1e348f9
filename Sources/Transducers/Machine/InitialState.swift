/// A transducer that can be given to a server: it says itself in which state it begins.
public protocol InitialState: BaseTransducer {
    /// The state of a new machine.
    static var initialState: State { get }
}
