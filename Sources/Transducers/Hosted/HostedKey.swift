/// The full name of a hosted effect: the scopes of the inner machines, and its id, as text and with
/// their types.
public struct HostedKey: Sendable, Hashable, Codable {
    /// From the outermost to the innermost.
    public var scopes: [String]
    /// The id, if it has one.
    public var id: String?
    /// The names of the Swift types of the scopes and of the id, in this order: names of different
    /// types differ though their text is the same. Empty for a text and an integer; `nil` if all
    /// are empty. A row that an earlier version has stored has none.
    public var types: [String]?

    /// A name in these scopes.
    public init(scopes: [String] = [], id: String?) {
        self.scopes = scopes
        self.id = id
    }

    /// Scopes and id with slashes between them; `nil` without both. Clients know an effect by it.
    public var text: String? {
        if scopes.isEmpty { return id }
        let parts = scopes + (id.map { [$0] } ?? [])
        return parts.isEmpty ? nil : parts.joined(separator: "/")
    }

    /// The name that an earlier version has stored for this one: without types.
    package var untyped: HostedKey { HostedKey(scopes: scopes, id: id) }

    init(_ key: EffectKey) {
        self.init(scopes: key.scopes.map(\.description), id: key.base?.description)
        types = Self.types(of: key.scopes, key.base)
    }

    static func types(of scopes: [AnyKey], _ base: AnyKey?) -> [String]? {
        // Most effects have a text or nothing.
        if scopes.isEmpty, base.map({ $0.value is String }) ?? true { return nil }
        let types = (scopes + (base.map { [$0] } ?? [])).map(\.storedType)
        return types.allSatisfy(\.isEmpty) ? nil : types
    }

    /// The name of the type at a place among scopes and id.
    func type(at place: Int) -> String {
        guard let types, types.indices.contains(place) else { return "" }
        return types[place]
    }

    /// The name in a ledger.
    package var ledgerKey: EffectKey {
        guard types != nil else { return effectKey ?? .unnamed }
        return EffectKey(
            scopes: storedScopes,
            base: id.map { StoredName.key($0, type: type(at: scopes.count)) })
    }

    /// The name in a machine, which knows the id as its text.
    var effectKey: EffectKey? {
        guard id != nil || !scopes.isEmpty else { return nil }
        return EffectKey(scopes: storedScopes, base: id.map { AnyKey($0) })
    }

    private var storedScopes: [AnyKey] {
        scopes.indices.map { StoredName.key(scopes[$0], type: type(at: $0)) }
    }
}
