import GroveAccess
import GroveEngine
package import GroveWire

/// The request of a line, and the form of its answer.
package struct DecodedLine: Sendable {
    /// The id of the answer.
    package enum Answer: Sendable, Equatable {
        case none
        /// `"id":null`: the line has no usable id.
        case null
        case id(RequestID)
    }

    /// The kinds of requests. All but operations are behind a pointer: see ``Operation``.
    package enum Body: Sendable {
        case operation(Operation)
        /// The client's side of the greeting; its replies may have to keep the order of requests.
        indirect case hello(isOrderStrict: Bool, TokenMember)
        /// `auth`; `nil` for a text that is no token.
        indirect case auth(DigestedToken?)
        /// `ping`, with the JSON of `t` to echo, if there was one.
        indirect case ping([UInt8]?, withHealth: Bool)
        /// `stats` with `series`.
        indirect case series(SeriesStep)
        /// `reload`: the server answers, not the engine.
        case reload
        indirect case refusal(WireError)
    }

    /// The member `token` of `hello`.
    package enum TokenMember: Sendable {
        case missing
        /// What it says; `nil` for a text that is no token.
        case shown(DigestedToken?)
    }

    package var answer: Answer
    package var body: Body
    /// The shape of the line; `nil` if it is no object.
    package var shape: LineShape? = .plain
    /// Whether the line is an array: a batch of JSON-RPC, refused in that shape.
    package var isArray = false
    /// The trace that the request belongs to.
    package var trace: TraceParent?
}
