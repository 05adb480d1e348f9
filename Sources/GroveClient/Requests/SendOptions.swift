import OrderedJSON

/// What an instance must be like for an event to be taken.
public enum Expectation: Hashable, Sendable {
    /// Exactly this version.
    case version(Int64)
    /// It doesn't exist yet.
    case absent
    /// It exists already.
    case exists

    var value: JSONValue {
        switch self {
        case .version(let version): .integer(version)
        case .absent: .string("absent")
        case .exists: .string("exists")
        }
    }
}

/// Whether an event may bring its instance into being.
public enum CreationMode: String, Hashable, Sendable, CaseIterable {
    /// An absent instance is created: the server's default.
    case ifAbsent = "if_absent"
    /// An absent instance is `NO_SUCH_INSTANCE`.
    case never
    /// A present instance is `ALREADY_EXISTS`.
    case must
}

/// How much the reply to an event tells.
public enum ReplyDetail: String, Hashable, Sendable, CaseIterable {
    /// Version and cursor: the server's default.
    case min
    /// The state after the event as well.
    case state
    /// State, outputs and effects as well.
    case full
}

/// Which effects the reply to an event waits for.
public enum Settling: String, Hashable, Sendable, CaseIterable {
    /// None: the reply comes when the event is stored. The server's default.
    case none
    /// Those that the event asks for.
    case own
    /// Those, and all that follow from what they give, in other instances too.
    case tree
}
