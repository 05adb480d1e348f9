/// Receives the outputs of a machine. The machine waits for each call, so it is never faster than
/// its consumer.
public protocol Subject<Value> {
    /// The machine's outputs.
    associatedtype Value

    /// Receives an output.
    ///
    /// - Parameters:
    ///   - value: The output.
    ///   - isolated: The actor that the machine runs on.
    /// - Throws: An error that ends the run.
    func send(_ value: sending Value, isolated: isolated any Actor) async throws
}

/// Calls a closure with the outputs.
public struct Callback<Value>: Subject {
    private let body: @Sendable @isolated(any) (sending Value) async throws -> Void
    /// Whether values may go to another actor.
    private let mayLeaveActor: Bool

    // For sendable values, the compiler selects the first initializer as the more special one. With
    // a disfavored second one, it would never select that, and other values would be an error.

    /// Calls `body` with outputs, on the closure's own actor, if it names one.
    public init(_ body: @escaping @Sendable @isolated(any) (Value) async throws -> Void)
    where Value: Sendable {
        self.body = body
        self.mayLeaveActor = true
    }

    /// Calls `body` with outputs that aren't sendable. It must be isolated to the actor that `run`
    /// is called on; else `run` throws ``TransducerError/outputLeavesActor``.
    public init(_ body: @escaping @Sendable @isolated(any) (Value) async throws -> Void) {
        self.body = body
        self.mayLeaveActor = false
    }

    /// Calls the closure and waits for it.
    public func send(
        _ value: sending Value, isolated: isolated any Actor = #isolation
    ) async throws {
        guard mayLeaveActor || body.isolation === isolated else {
            throw TransducerError.outputLeavesActor
        }
        try await body(value)
    }
}

extension Callback: Sendable {}
