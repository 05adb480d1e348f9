/// The name of an effect: what it is cancelled and replaced by. Any hashable, sendable value
/// will do; types of one's own conform to tell names of one purpose from those of another.
public protocol EffectID: Hashable, Sendable {}

/// A hashable value of any type. Values of different types differ.
@usableFromInline
struct AnyKey: Hashable, Sendable, CustomStringConvertible {
    @usableFromInline let value: any Hashable & Sendable

    @usableFromInline
    init(_ value: any Hashable & Sendable) { self.value = value }

    @usableFromInline
    static func == (left: AnyKey, right: AnyKey) -> Bool {
        func equal<Value: Hashable>(_ value: Value) -> Bool {
            (right.value as? Value) == value
        }
        return equal(left.value)
    }

    @usableFromInline
    func hash(into hasher: inout Hasher) { value.hash(into: &hasher) }

    @usableFromInline var description: String { "\(value)" }
}

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
    public init(_ id: some Hashable & Sendable) { self.init(base: AnyKey(id)) }

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

/// The number of one run of an effect, unique within its machine. A result counts only as long
/// as its run is current.
public struct EffectRunID: Hashable, Sendable, Comparable {
    /// Counted from 1; 0 is no effect's.
    public let number: UInt64

    /// The run with a number.
    public init(_ number: UInt64) { self.number = number }

    /// Earlier runs come first.
    public static func < (left: EffectRunID, right: EffectRunID) -> Bool {
        left.number < right.number
    }
}

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
