/// Why a result is no event.
public enum EffectResultError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The machine's events can't be read from JSON, and it doesn't say which event it is.
    case eventsAreNotDecodable(String)

    /// What happened and what to do.
    public var description: String {
        switch self {
        case .eventsAreNotDecodable(let type):
            "\(type) isn't Decodable: make it so, or say in effectResult(_:) which event a "
                + "result is"
        }
    }
}
