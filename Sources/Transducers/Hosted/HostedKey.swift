/// The full name of a hosted effect: its id as text within the scopes of the inner machines that
/// it came through.
public struct HostedKey: Sendable, Hashable, Codable {
    /// From the outermost to the innermost.
    public var scopes: [String]
    /// The id, if it has one.
    public var id: String?

    /// A key with these scopes.
    public init(scopes: [String] = [], id: String?) {
        self.scopes = scopes
        self.id = id
    }

    /// Scopes and id with slashes between; `nil` when there are neither.
    public var text: String? {
        let parts = scopes + (id.map { [$0] } ?? [])
        return parts.isEmpty ? nil : parts.joined(separator: "/")
    }

    init(_ key: EffectKey) {
        self.init(scopes: key.scopes.map(\.description), id: key.base?.description)
    }

    /// The name as a ledger compares it.
    package var ledgerKey: EffectKey { effectKey ?? .unnamed }

    /// The name as machines know it.
    var effectKey: EffectKey? {
        guard id != nil || !scopes.isEmpty else { return nil }
        return EffectKey(scopes: scopes.map { AnyKey($0) }, base: id.map { AnyKey($0) })
    }
}
