import OrderedJSON

/// The condition on an instance for an event to be applied.
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
