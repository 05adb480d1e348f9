/// An effect that failed for good.
public struct EffectFailure: Sendable, CustomStringConvertible {
    /// The effect's id, or `nil` if it had none.
    public let id: EffectKey?
    /// What it threw.
    public let error: any Error

    /// A failure, for tests of machines that handle one.
    public init(id: EffectKey?, error: any Error) {
        self.id = id
        self.error = error
    }

    /// One line for people.
    public var description: String {
        "effect \(id.map { "\($0)" } ?? "without id") failed: \(error)"
    }
}
