/// One side of an arrow: one state, or any.
///
/// `.any` includes every state, also the one on the other side of the arrow.
public enum StatePattern<S: StateType>: Hashable, Sendable {
    /// Exactly this state.
    case some(S)
    /// Every state.
    case any

    /// The pattern for one state, or `.any` for `nil`.
    @inlinable
    public init(rawValue: S?) {
        self = rawValue.map(StatePattern.some) ?? .any
    }

    /// The one state, or `nil` for `.any`.
    @inlinable
    public var rawValue: S? {
        switch self {
        case .some(let state): state
        case .any: nil
        }
    }

    /// Whether every state matches.
    @inlinable
    public var isAny: Bool {
        if case .any = self { true } else { false }
    }

    /// Whether `state` matches.
    @inlinable
    public func matches(_ state: S) -> Bool {
        switch self {
        case .some(let wanted): wanted == state
        case .any: true
        }
    }

    /// Whether the pattern is exactly this state; `.any` is none.
    @inlinable
    public static func == (pattern: StatePattern, state: S) -> Bool { pattern.rawValue == state }

    /// Whether the pattern is exactly this state; `.any` is none.
    @inlinable
    public static func == (state: S, pattern: StatePattern) -> Bool { pattern.rawValue == state }
}

extension StatePattern: CustomStringConvertible {
    /// The state's label, or `any`.
    public var description: String { rawValue.map { RouteLabel.of($0) } ?? "any" }
}

extension StatePattern: Encodable where S: Encodable {
    /// Writes the state itself, and null for `.any`.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(rawValue)
    }
}

extension StatePattern: Decodable where S: Decodable {
    /// Reads what `encode(to:)` writes.
    public init(from decoder: any Decoder) throws {
        self.init(rawValue: try decoder.singleValueContainer().decode(S?.self))
    }
}
