/// The full name of an effect: its id, if it has one, within the scopes of the machines that the
/// effect came through (``TransducerEffect/scoped(_:)``). Two machines in different scopes can't
/// cancel or replace each other's effects.
public struct EffectKey: Hashable, Sendable, CustomStringConvertible {
    /// From the outermost scope to the innermost.
    @usableFromInline var scopes: [AnyKey]
    @usableFromInline var base: AnyKey?

    @usableFromInline
    init(scopes: [AnyKey] = [], base: AnyKey?) {
        self.scopes = scopes
        self.base = base
    }

    /// The full name of an effect with `id` of a machine that isn't part of another one.
    public init(_ id: (some Hashable & Sendable)?) { self.init(base: id.map { AnyKey($0) }) }

    /// The name of an effect without id.
    package static let unnamed = EffectKey(base: nil)

    /// Whether it says anything: an id, or at least which part of the machine it comes from.
    var isNamed: Bool { base != nil || !scopes.isEmpty }

    /// The id as the effect gave it, or `nil` for an effect without one.
    public var id: (any Hashable & Sendable)? { base?.value }

    /// Scopes and id, with slashes between.
    public var description: String {
        (scopes + (base.map { [$0] } ?? [])).map(\.description).joined(separator: "/")
    }
}
