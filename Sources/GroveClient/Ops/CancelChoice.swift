import OrderedJSON

/// The effects of an instance to cancel.
public enum CancelChoice: Hashable, Sendable {
    /// The effect with this number.
    case effect(Int64)
    /// The effects with this id, timers among them.
    case id(String)
    /// The timers with this id.
    case timer(String)
    /// All that follow from the event with this dedup key.
    case request(String)

    /// The field of the request that makes the choice, with its value.
    var field: (name: String, value: JSONValue) {
        switch self {
        case .effect(let number): ("effect", .integer(number))
        case .id(let text): ("effect", .string(text))
        case .timer(let text): ("timer", .string(text))
        case .request(let text): ("request", .string(text))
        }
    }
}
