import OrderedJSON

/// The context of an attempt: its effect, and the way to report before it ends.
public struct EffectHandlerContext: Sendable {
    /// The idempotency key for the called service: the same for each attempt and after a crash, and
    /// different for each effect.
    public let key: String
    /// The number of the attempt, from 1.
    public let attempt: Int
    /// The instance of the effect, `machine/instance`; `nil` in process.
    public let instance: String?
    /// The machine of the instance; `nil` in process.
    public var machine: String? { instance.map { String($0.prefix { $0 != "/" }) } }
    /// The number of events of this effect that earlier attempts have applied.
    public let delivered: Int
    /// The `traceparent` (W3C, "Trace Context") of the request that caused the effect, to hand on
    /// to the called service; `nil` if that had none, and in process.
    public let traceparent: String?
    let run: EffectRunID
    private let send: @Sendable (JSONValue) async throws -> Void

    package init(
        key: String, attempt: Int, instance: String?, delivered: Int, run: UInt64,
        traceparent: String? = nil,
        send: @escaping @Sendable (JSONValue) async throws -> Void
    ) {
        self.key = key
        self.attempt = attempt
        self.instance = instance
        self.delivered = delivered
        self.traceparent = traceparent
        self.run = EffectRunID(run)
        self.send = send
    }

    /// Gives the machine a result before the end, and returns after it has been applied. Results
    /// are counted: a handler that runs again after a crash skips the first ``delivered`` ones.
    ///
    /// - Throws: `CancellationError` when the effect isn't current any more.
    public func emit(_ value: some Encodable & Sendable) async throws {
        try await send(DurableArgument.json(value))
    }
}
