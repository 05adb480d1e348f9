import OrderedJSON

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
    /// How its runs share the places; `nil` for first come, first served.
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
            // The same argument will not fit better the next time.
            throw PermanentFailure("the argument doesn't fit: \(error)")
        }
    }
}
