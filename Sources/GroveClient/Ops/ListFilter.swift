import GroveWire
import OrderedJSON

/// The instances to list; every part that isn't `nil` narrows the list.
public struct ListFilter: Hashable, Sendable {
    /// Only instances of this machine.
    public var machine: String?
    /// Only instances whose name, the part after the slash, begins like this.
    public var prefix: String?
    /// Only instances in the state of this name; for machines whose states have names.
    public var state: String?
    /// Only instances that are done, or only instances that aren't.
    public var isDone: Bool?
    /// Only instances whose last step ran under an earlier version of their definition than the
    /// server hosts, or only others.
    public var isOutdated: Bool?
    /// Only instances that are held themselves; a hold of their machine doesn't count.
    public var held: Held?

    /// How an instance is held.
    public enum Held: String, Hashable, Sendable {
        /// By an operator.
        case suspended
        /// By the server, because its steps have ended the process.
        case setAside = "set_aside"
    }

    /// A filter; without arguments every instance matches.
    public init(
        machine: String? = nil, prefix: String? = nil, state: String? = nil, isDone: Bool? = nil,
        isOutdated: Bool? = nil, held: Held? = nil
    ) {
        self.isOutdated = isOutdated
        self.machine = machine
        self.prefix = prefix
        self.state = state
        self.isDone = isDone
        self.held = held
    }

    /// The request for the first page.
    var request: Request {
        Request(.list).with("machine", machine).with("prefix", prefix).with("state", state)
            .with("done", isDone.map(JSONValue.bool))
            .with("outdated", isOutdated.map(JSONValue.bool)).with("held", held?.rawValue)
    }
}
