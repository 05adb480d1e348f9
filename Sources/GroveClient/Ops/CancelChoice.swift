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

    /// The field of the request that makes the choice.
    var field: String {
        switch self {
        case .effect, .id: "effect"
        case .timer: "timer"
        case .request: "request"
        }
    }

    /// The value of ``field``.
    var value: JSONValue {
        switch self {
        case .effect(let number): .integer(number)
        case .id(let text), .timer(let text), .request(let text): .string(text)
        }
    }
}
