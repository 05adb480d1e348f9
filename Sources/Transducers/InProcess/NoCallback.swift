/// Drops outputs.
public struct NoCallback<Value>: Subject, Sendable {
    /// Drops outputs.
    public init() {}

    /// Does nothing.
    @inlinable
    public func send(
        _ value: sending Value, isolated: isolated any Actor = #isolation
    ) async {}
}
