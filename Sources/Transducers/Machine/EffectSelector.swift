/// Selects effects of a machine.
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

    /// The effects with this id; none for `nil`.
    public static func id(_ id: (some Hashable & Sendable)?) -> EffectSelector {
        EffectSelector(.id(id.map { AnyKey($0) } ?? AnyKey(NoID())))
    }

    /// The id that no effect has.
    private struct NoID: Hashable {}

    /// The effects whose id, as text, has this prefix.
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

    /// Whether it selects the effect of this name.
    public func includes(_ key: EffectKey) -> Bool {
        guard key.scopes.starts(with: scopes) else { return false }
        if case .all = choice { return true }
        // An id matches in its own scope only, so that an inner machine's id doesn't by chance.
        guard key.scopes.count == scopes.count, let base = key.base else { return false }
        return switch choice {
        case .id(let id): base == id
        case .prefix(let prefix): base.description.hasPrefix(prefix)
        case .matching(let isIncluded): isIncluded(base.value)
        case .all: true
        }
    }
}
