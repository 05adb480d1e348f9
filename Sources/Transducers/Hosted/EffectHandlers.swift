import OrderedJSON

/// The work that machines ask for by name, with `perform`: what touches the world stands here,
/// and machines stay pure.
///
///     var handlers = EffectHandlers()
///     handlers.register("charge") { (charge: Charge, context) in
///         try await bank.charge(charge.amount, idempotencyKey: context.key)
///     }
///
/// A handler may run more than once for one effect: after a crash, or when it failed. It gets the
/// same ``EffectHandlerContext/key`` each time, so that the other side can tell.
public struct EffectHandlers: Sendable {
    private var byName: [String: EffectHandler] = [:]

    /// No handlers.
    public init() {}

    /// The handler of that name.
    public subscript(_ name: String) -> EffectHandler? { byName[name] }

    /// All handlers in the order of their names.
    public var all: [EffectHandler] { byName.values.sorted { $0.name < $1.name } }

    /// Adds a handler. One of the same name is replaced.
    public mutating func register(_ handler: EffectHandler) { byName[handler.name] = handler }

    /// Adds a handler whose result is the effect's.
    ///
    /// - Parameters:
    ///   - name: What machines call it.
    ///   - concurrencyMax: How many of its runs may be under way at once on a host; others wait.
    ///   - timeout: How long one try may take, where the effect doesn't say. Then it is cancelled
    ///     and counts as failed.
    ///   - body: The work. Gets the argument, and what to tell and know about the run. What it
    ///     throws is a failed try, and ``PermanentFailure`` the last one.
    public mutating func register<
        Argument: Decodable & SendableMetatype, Result: Encodable & SendableMetatype
    >(
        _ name: String, concurrencyMax: Int = EffectHandler.concurrencyDefault,
        timeout: Duration = EffectHandler.timeoutDefault,
        _ body: @escaping @Sendable (Argument, EffectHandlerContext) async throws -> Result
    ) {
        register(
            EffectHandler(name, concurrencyMax: concurrencyMax, timeout: timeout) {
                argument, context in
                let result = try await body(EffectHandler.decode(argument), context)
                return try DurableArgument.json(result)
            })
    }

    /// Adds a handler without result.
    ///
    /// - Parameters: As those of the one with a result.
    public mutating func register<Argument: Decodable & SendableMetatype>(
        _ name: String, concurrencyMax: Int = EffectHandler.concurrencyDefault,
        timeout: Duration = EffectHandler.timeoutDefault,
        _ body: @escaping @Sendable (Argument, EffectHandlerContext) async throws -> Void
    ) {
        register(
            EffectHandler(name, concurrencyMax: concurrencyMax, timeout: timeout) {
                argument, context in
                try await body(EffectHandler.decode(argument), context)
                return .null
            })
    }
}

extension DurableArgument {
    static func json(_ value: some Encodable) throws -> JSONValue {
        if let value = value as? JSONValue { return value }
        var writer = JSONWriter()
        try JSONCoding.encode(value, into: &writer)
        return try JSONValue(parsing: writer.bytes, limits: .stored)
    }
}
