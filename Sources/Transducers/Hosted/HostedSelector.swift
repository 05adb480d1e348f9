/// Which effects of a hosted machine are meant.
public struct HostedSelector: Sendable, Hashable, Codable {
    /// How they are told.
    public enum Choice: Sendable, Hashable, Codable {
        case id(String)
        case prefix(String)
        case all
    }

    /// Within these scopes.
    public var scopes: [String]
    /// How they are told.
    public var choice: Choice

    /// A selector with these scopes.
    public init(scopes: [String] = [], _ choice: Choice) {
        self.scopes = scopes
        self.choice = choice
    }

    /// Whether the effect of this name is meant.
    public func includes(_ key: HostedKey) -> Bool {
        guard key.scopes.starts(with: scopes) else { return false }
        if case .all = choice { return true }
        guard key.scopes.count == scopes.count, let id = key.id else { return false }
        return switch choice {
        case .id(let meant): id == meant
        case .prefix(let prefix): id.utf8.starts(with: prefix.utf8)
        case .all: true
        }
    }
}
