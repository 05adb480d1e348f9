/// The condition that an `await` waits for.
public enum AwaitCondition: Hashable, Sendable {
    /// The instance is done.
    case done
    /// It is in the state of this name; for machines whose states have names.
    case state(String)

    /// The condition as written in a request: `done`, or the name of a state.
    public init(_ text: String) { self = text == "done" ? .done : .state(text) }

    /// The condition as written in a request.
    public var text: String {
        switch self {
        case .done: "done"
        case .state(let name): name
        }
    }
}
