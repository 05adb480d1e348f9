/// Which effects are meant.
public struct EffectSelector: Sendable {
    @usableFromInline
    enum Choice: Sendable {
        case id(AnyKey)
        case prefix(String)
        case matching(@Sendable (any Hashable & Sendable) -> Bool)
        case all
    }

    var scopes: [AnyKey] = []
    let choice: Choice

    init(_ choice: Choice) { self.choice = choice }

    /// The effects with this id.
    public static func id(_ id: some Hashable & Sendable) -> EffectSelector {
        EffectSelector(.id(AnyKey(id)))
    }

    /// The effects whose id, as text, begins like this.
    public static func prefix(_ prefix: String) -> EffectSelector {
        EffectSelector(.prefix(prefix))
    }

    /// The effects that have an id for which `isIncluded` holds.
    public static func matching(
        _ isIncluded: @escaping @Sendable (any Hashable & Sendable) -> Bool
    ) -> EffectSelector {
        EffectSelector(.matching(isIncluded))
    }

    /// All effects, also those without id.
    public static let all = EffectSelector(.all)

    /// Whether the effect with this key is meant.
    public func includes(_ key: EffectKey) -> Bool {
        guard key.scopes.starts(with: scopes) else { return false }
        if case .all = choice { return true }
        // An id is meant in its own scope only, so that an inner machine's isn't met by chance.
        guard key.scopes.count == scopes.count, let base = key.base else { return false }
        return switch choice {
        case .id(let id): base == id
        case .prefix(let prefix): base.description.hasPrefix(prefix)
        case .matching(let isIncluded): isIncluded(base.value)
        case .all: true
        }
    }
}
