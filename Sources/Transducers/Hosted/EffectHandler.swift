import OrderedJSON

/// A handler, with JSON for argument and result.
public struct EffectHandler: Sendable {
    /// The default of ``concurrencyMax``.
    public static let concurrencyDefault = 64
    /// The default of ``timeout``.
    public static let timeoutDefault = Duration.seconds(60)

    /// The work.
    public typealias Body =
        @Sendable (JSONValue, EffectHandlerContext) async throws -> JSONValue

    /// The name in `perform`.
    public let name: String
    /// The number of attempts that may run at once.
    public let concurrencyMax: Int
    /// The time limit of an attempt, unless the effect has one.
    public let timeout: Duration
    /// The shares of its attempts; `nil` for first come, first served.
    public let shares: EffectShares?
    /// The work.
    public let body: Body

    /// A handler.
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
            // No other attempt could decode it.
            throw PermanentFailure("the argument doesn't fit: \(error)")
        }
    }
}
