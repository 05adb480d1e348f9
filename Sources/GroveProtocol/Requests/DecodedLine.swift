public import GroveEngine

/// What a line asks, and how it wants to be answered.
public struct DecodedLine: Sendable {
    /// Who is answered.
    public enum Answer: Sendable, Equatable {
        /// Nobody: the request had no id.
        case none
        /// The line is so wrong that it has no usable id: answered with `"id":null`.
        case null
        /// The request's id.
        case id(RequestID)
    }

    /// What is to be done.
    public enum Body: Sendable {
        /// Something for the engine.
        case operation(Operation)
        /// The client's side of the greeting.
        case hello(Hello)
        /// `ping`, with the JSON of `t` to echo, if there was one.
        case ping([UInt8]?)
        /// `ping` that asks for the server's health, with the JSON of `t`.
        case health([UInt8]?)
        /// The line is refused.
        case refusal(WireError)
    }

    /// The client's side of the greeting.
    public struct Hello: Sendable, Equatable {
        /// The protocol version it speaks.
        public var proto: Int64
        /// Whether replies have to come in the order of their requests.
        public var isOrderStrict: Bool
    }

    /// Who is answered.
    public var answer: Answer
    /// What is to be done.
    public var body: Body
    /// Which shape the line has; `nil` for one that has none, because it is no object.
    public var shape: LineShape? = .plain
    /// Whether the line is an array: several requests in one, which is a thing of JSON-RPC and is
    /// refused as it would.
    public var isArray = false
}
