/// The full name of a hosted effect: the scopes of the inner machines, and its id as text.
public struct HostedKey: Sendable, Hashable, Codable {
    /// From the outermost to the innermost.
    public var scopes: [String]
    /// The id, if it has one.
    public var id: String?

    /// A name in these scopes.
    public init(scopes: [String] = [], id: String?) {
        self.scopes = scopes
        self.id = id
    }

    /// Scopes and id with slashes between them; `nil` without both.
    public var text: String? {
        if scopes.isEmpty { return id }
        let parts = scopes + (id.map { [$0] } ?? [])
        return parts.isEmpty ? nil : parts.joined(separator: "/")
    }

    init(_ key: EffectKey) {
        self.init(scopes: key.scopes.map(\.description), id: key.base?.description)
    }

    /// The name in a ledger.
    package var ledgerKey: EffectKey { effectKey ?? .unnamed }

    /// The name in a machine.
    var effectKey: EffectKey? {
        guard id != nil || !scopes.isEmpty else { return nil }
        return EffectKey(scopes: scopes.map { AnyKey($0) }, base: id.map { AnyKey($0) })
    }
}
