/// Selects effects of a hosted machine.
public struct HostedSelector: Sendable, Hashable, Codable {
    /// The condition on ids.
    public enum Choice: Sendable, Hashable, Codable {
        case id(String)
        case prefix(String)
        case all
    }

    /// The scopes of the effects.
    public var scopes: [String]
    /// The condition on ids.
    public var choice: Choice

    /// A selector in these scopes.
    public init(scopes: [String] = [], _ choice: Choice) {
        self.scopes = scopes
        self.choice = choice
    }

    /// Whether it selects the effect of this name.
    public func includes(_ key: HostedKey) -> Bool {
        guard key.scopes.starts(with: scopes) else { return false }
        if case .all = choice { return true }
        guard key.scopes.count == scopes.count, let id = key.id else { return false }
        return switch choice {
        case .id(let selected): id == selected
        case .prefix(let prefix): id.utf8.starts(with: prefix.utf8)
        case .all: true
        }
    }
}
