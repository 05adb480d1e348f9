public import OrderedJSON

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

/// One handler, with JSON for argument and result.
public struct EffectHandler: Sendable {
    /// Runs under way at once, where nothing else is said.
    public static let concurrencyDefault = 64
    /// Time of one try, where nothing else is said.
    public static let timeoutDefault = Duration.seconds(60)

    /// The work.
    public typealias Body =
        @Sendable (JSONValue, EffectHandlerContext) async throws -> JSONValue

    /// What machines call it.
    public let name: String
    /// How many runs may be under way at once.
    public let concurrencyMax: Int
    /// How long one try may take, where the effect doesn't say.
    public let timeout: Duration
    /// How its runs share the places; `nil` when whoever comes first has them.
    public let shares: EffectShares?
    /// The work.
    public let body: Body

    /// Puts a handler together.
    public init(
        _ name: String, concurrencyMax: Int = Self.concurrencyDefault,
        timeout: Duration = Self.timeoutDefault, shares: EffectShares? = nil,
        body: @escaping Body
    ) {
        self.name = name
        self.concurrencyMax = max(1, concurrencyMax)
        self.timeout = timeout
        self.shares = shares
        self.body = body
    }

    static func decode<Argument: Decodable>(_ argument: JSONValue) throws -> Argument {
        do {
            return try EffectResult(id: nil, then: nil, value: argument).decoded()
        } catch {
            // The same argument will not fit better the next time.
            throw PermanentFailure("the argument doesn't fit: \(error)")
        }
    }
}

/// How the runs of one handler share its places, so that those that hang together, say because one
/// host doesn't answer, leave the others theirs.
public struct EffectShares: Sendable {
    /// Runs of one share that may be under way at once; at most as many as of the handler.
    public let runsMax: Int
    /// Which share a run with this argument belongs to, at most 256 bytes in one line; `nil` for
    /// none. Always the same for the same argument. A run without a share is bounded by the
    /// handler alone.
    public let name: @Sendable (_ argument: JSONValue) -> String?

    /// Shares of at most so many runs.
    public init(runsMax: Int, name: @escaping @Sendable (_ argument: JSONValue) -> String?) {
        self.runsMax = max(1, runsMax)
        self.name = name
    }
}

/// What a handler is told besides its argument, and what it can tell before it ends.
public struct EffectHandlerContext: Sendable {
    /// Says which effect this is, the same for every try and after a crash, and different from
    /// every other effect's: what to give as idempotency key to whoever is called.
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

    /// Puts a context together.
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

    /// Gives the machine a result and goes on; returns when it has been applied. What it gives is
    /// counted: a handler that runs anew after a crash leaves out as many as
    /// ``delivered`` says.
    ///
    /// - Throws: `CancellationError` when the effect isn't current any more.
    public func emit(_ value: some Encodable & Sendable) async throws {
        try await send(DurableArgument.json(value))
    }
}

/// A failure that trying again doesn't mend.
public struct PermanentFailure: Error, Sendable, Equatable, CustomStringConvertible {
    /// What is wrong.
    public let reason: String

    /// For this reason.
    public init(_ reason: String) { self.reason = reason }

    /// What is wrong.
    public var description: String { reason }
}

/// A failed try of which whoever was called has said when to come back.
public struct RetryLater: Error, Sendable, Equatable, CustomStringConvertible {
    /// What is wrong.
    public let reason: String
    /// The next try, if the effect's ``RetryPolicy`` has one, isn't made before this is over; a
    /// day at most.
    public let pause: Duration

    /// A failed try with this reason.
    public init(_ reason: String, after pause: Duration) {
        self.reason = reason
        self.pause = min(max(.zero, pause), .seconds(86_400))
    }

    /// What is wrong.
    public var description: String { reason }
}

extension DurableArgument {
    static func json(_ value: some Encodable) throws -> JSONValue {
        if let value = value as? JSONValue { return value }
        var writer = JSONWriter()
        try JSONCoding.encode(value, into: &writer)
        return try JSONValue(parsing: writer.bytes, limits: .stored)
    }
}
