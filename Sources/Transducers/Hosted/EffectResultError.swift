/// The reason why a result is no event.
public enum EffectResultError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The machine's events can't be decoded, and it has no `effectResult(_:)`.
    case eventsAreNotDecodable(String)

    /// The problem and its solution.
    public var description: String {
        switch self {
        case .eventsAreNotDecodable(let type):
            "\(type) isn't Decodable: make it so, or say in effectResult(_:) which event a "
                + "result is"
        }
    }
}
