import OrderedJSON

/// What a handler gets besides its argument, and its way to report before it ends.
public struct EffectHandlerContext: Sendable {
    /// Says which effect this is, the same for every try and after a crash, and different from
    /// every other effect's: the idempotency key for the service that is called.
    public let key: String
    /// Which try this is, from 1.
    public let attempt: Int
    /// The instance that asked, `machine/instance`, or `nil` in process.
    public let instance: String?
    /// How many events of this effect have been applied in tries before.
    public let delivered: Int
    /// The number of the effect's run.
    let run: EffectRunID
    private let send: @Sendable (JSONValue) async throws -> Void

    /// The context of one try.
    package init(
        key: String, attempt: Int, instance: String?, delivered: Int, run: UInt64,
        send: @escaping @Sendable (JSONValue) async throws -> Void
    ) {
        self.key = key
        self.attempt = attempt
        self.instance = instance
        self.delivered = delivered
        self.run = EffectRunID(run)
        self.send = send
    }

    /// Gives the machine a result and continues; returns when it has been applied. What it gives is
    /// counted: a handler that runs again after a crash leaves out as many as
    /// ``delivered`` says.
    ///
    /// - Throws: `CancellationError` when the effect isn't current any more.
    public func emit(_ value: some Encodable & Sendable) async throws {
        try await send(DurableArgument.json(value))
    }
}
