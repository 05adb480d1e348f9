import GroveWire
import OrderedJSON

/// When a token ends.
public enum TokenExpiry: Hashable, Sendable {
    /// After the server's standard time: 90 days.
    case standard
    /// Never.
    case never
    /// At a time of UTC in RFC 3339, `2027-02-19T00:00:00.000Z`.
    case at(String)

    var value: JSONValue? {
        switch self {
        case .standard: nil
        case .never: .null
        case .at(let time): .string(time)
        }
    }
}
