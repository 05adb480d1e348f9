import OrderedJSON

/// The handlers that machines call by name, with `perform`. They have the side effects, and
/// machines stay pure.
///
///     var handlers = EffectHandlers()
///     handlers.register("charge") { (charge: Charge, context) in
///         try await bank.charge(charge.amount, idempotencyKey: context.key)
///     }
///
/// A handler may run more than once for one effect: after a crash, or after a failure. It gets the
/// same ``EffectHandlerContext/key`` each time, so the called service can recognize that.
public struct EffectHandlers: Sendable {
    private var byName: [String: EffectHandler] = [:]

    /// No handlers.
    public init() {}

    /// The handler of this name.
    public subscript(_ name: String) -> EffectHandler? { byName[name] }

    /// All handlers in the order of their names.
    public var all: [EffectHandler] { byName.values.sorted { $0.name < $1.name } }

    /// Adds a handler. One of the same name is replaced.
    public mutating func register(_ handler: EffectHandler) { byName[handler.name] = handler }

    /// Adds a handler whose result is the effect's.
    ///
    /// - Parameters:
    ///   - name: The name in `perform`.
    ///   - concurrencyMax: The number of attempts that may run at once on a server; others wait.
    ///   - timeout: The time limit of an attempt, unless the effect has one. Then it is canceled
    ///     and has failed.
    ///   - body: The work. An error is a failed attempt, and ``PermanentFailure`` the last one.
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
