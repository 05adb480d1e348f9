import OrderedJSON

/// Which instances to list; every part that isn't `nil` narrows the list.
public struct ListFilter: Hashable, Sendable {
    /// Only instances of this machine.
    public var machine: String?
    /// Only instances whose name, the part after the slash, begins like this.
    public var prefix: String?
    /// Only instances in the state of this name; for machines whose states have names.
    public var state: String?
    /// Only instances that are done, or only such that aren't.
    public var isDone: Bool?
    /// Only instances whose last step was taken by an earlier version of their definition than the
    /// server hosts, or only others.
    public var isOutdated: Bool?

    /// Only instances that are held so themselves, whatever their machine is.
    public var held: Held?

    /// How an instance is held.
    public enum Held: String, Hashable, Sendable {
        /// By an operator.
        case suspended
        /// By the server, because its steps have ended the process.
        case setAside = "set_aside"
    }

    /// A filter; without arguments it lets every instance through.
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

    func add(to request: inout Request) {
        if let machine { request.set("machine", .string(machine)) }
        if let prefix { request.set("prefix", .string(prefix)) }
        if let state { request.set("state", .string(state)) }
        if let isDone { request.set("done", .bool(isDone)) }
        if let isOutdated { request.set("outdated", .bool(isOutdated)) }
        if let held { request.set("held", .string(held.rawValue)) }
    }
}
