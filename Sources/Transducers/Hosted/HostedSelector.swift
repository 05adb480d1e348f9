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

    /// The names of the Swift types of the scopes, and of a chosen id, as in ``HostedKey/types``.
    public var types: [String]?

    /// A selector in these scopes.
    public init(scopes: [String] = [], _ choice: Choice) {
        self.scopes = scopes
        self.choice = choice
    }

    /// Whether it selects the effect of this name. A name without types, as earlier versions have
    /// stored it, is known by its text.
    public func includes(_ key: HostedKey) -> Bool {
        guard key.scopes.starts(with: scopes) else { return false }
        if case .all = choice { return hasTypes(of: key, count: scopes.count) }
        guard key.scopes.count == scopes.count, let id = key.id else { return false }
        return switch choice {
        case .id(let selected): id == selected && hasTypes(of: key, count: scopes.count + 1)
        case .prefix(let prefix):
            id.utf8.starts(with: prefix.utf8) && hasTypes(of: key, count: scopes.count)
        case .all: true
        }
    }

    private func hasTypes(of key: HostedKey, count: Int) -> Bool {
        guard key.types != nil else { return true }
        return (0..<count).allSatisfy { place in
            let type = types.flatMap { $0.indices.contains(place) ? $0[place] : nil } ?? ""
            return type == key.type(at: place)
        }
    }
}
