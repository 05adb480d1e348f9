/// An error in a configuration: the key, the message and the place.
public struct ConfigurationProblem: Error, Sendable, Equatable, CustomStringConvertible {
    /// The key, as it was written; `nil` for an error of a whole file.
    public let key: String?
    /// The error and the allowed values.
    public let message: String
    /// The place, for people; `nil` if there is none.
    public let place: String?

    init(key: String? = nil, _ message: String, _ place: String? = nil) {
        self.key = key
        self.message = message
        self.place = place
    }

    /// Key, message and place in one line.
    public var description: String {
        (key.map { "\($0): " } ?? "") + message + (place.map { " (\($0))" } ?? "")
    }
}
