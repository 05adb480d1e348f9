/// What receives the outputs of a machine. The machine waits until it has taken one before it
/// continues: so nobody need be faster than the outputs' consumer.
public protocol Subject<Value> {
    /// The machine's outputs.
    associatedtype Value

    /// Takes an output.
    ///
    /// - Parameters:
    ///   - value: The output.
    ///   - isolated: The actor the machine runs on.
    /// - Throws: Whatever shall end the run.
    func send(_ value: sending Value, isolated: isolated any Actor) async throws
}

/// Gives outputs to a closure.
public struct Callback<Value>: Subject {
    private let body: @Sendable @isolated(any) (sending Value) async throws -> Void
    /// Whether values may go to another actor.
    private let mayLeaveActor: Bool

    // Of the two initialisers the compiler takes the one for sendable values where they are, as
    // the more special one. Disfavouring the other would rank before that: it would never be
    // taken, and values that aren't sendable would be an error.

    /// Gives outputs to `body`, on the closure's own actor, if it names one.
    public init(_ body: @escaping @Sendable @isolated(any) (Value) async throws -> Void)
    where Value: Sendable {
        self.body = body
        self.mayLeaveActor = true
    }

    /// Gives outputs that aren't sendable to `body`, which has to be isolated to the actor that
    /// `run` is called on; else `run` throws ``TransducerError/outputLeavesActor``.
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
