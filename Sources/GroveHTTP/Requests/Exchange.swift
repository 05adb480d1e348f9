import GroveWire

/// A request from its head to the end of its answer. An object, because its connection hands it
/// from phase to phase.
final class Exchange {
    let route: HTTPRoute
    /// The request's path, as it was sent.
    let path: [UInt8]
    /// The values of the path's variable parts, decoded.
    let variables: PathVariables
    /// The parameters of the query.
    let query: [(parameter: HTTPParameter, value: String)]
    let isHead: Bool
    let isVersion10: Bool
    /// Whether the client takes answers that are compressed by gzip.
    var takesGzip = false
    /// Whether the connection stays open after the answer.
    var keepsAlive: Bool
    /// The body's bytes so far.
    var body: [UInt8] = []
    /// The origin of another page that may read the answer.
    var origin: [UInt8]?
    /// `Idempotency-Key`.
    var key: [UInt8]?
    /// `traceparent`.
    var trace: TraceParent?
    /// `If-Match` or `If-None-Match: *`.
    var expectation: Expectation?
    /// `If-None-Match` with versions that the client has.
    var cached: [UInt8]?
    /// `Last-Event-ID`.
    var lastEvent: [UInt8]?
    /// `Sec-WebSocket-Accept`.
    var socketAnswer: [UInt8]?
    /// Whether the client named the subprotocol of WebSocket.
    var namesProtocol = false
    /// Whether the client waits for `100 Continue` before it sends the body.
    var expectsContinue = false

    /// What a field says that the instance must be.
    enum Expectation: Sendable, Equatable {
        case version(Int64)
        case exists
        case absent
    }

    init(
        _ route: HTTPRoute, _ head: HTTPRequestHead, variables: PathVariables,
        query: [(parameter: HTTPParameter, value: String)]
    ) {
        self.route = route
        self.variables = variables
        self.query = query
        path = head.path
        isHead = head.method == .head
        isVersion10 = head.isVersion10
        keepsAlive = head.keepsAlive
    }

    /// The exchange of a request that is refused.
    ///
    /// - Parameter head: Its head, if that was accepted.
    init(refused head: HTTPRequestHead?) {
        route = .refused
        variables = PathVariables()
        query = []
        path = head?.path ?? []
        isHead = head?.method == .head
        isVersion10 = head?.isVersion10 ?? false
        keepsAlive = head?.keepsAlive ?? false
    }

    /// Whether the reply may come long after the request.
    var mayWaitLong: Bool {
        guard case .op(let op) = route.action else { return false }
        return switch op.traits.waiting {
        case .always: true
        case .requested:
            query.contains { $0.parameter.member == "settle" && $0.value != "none" }
        case .never: false
        }
    }

    /// The place in the request from which a member of the op came, for `at` in an error: a
    /// parameter as `?limit`, a part of the path as `/name`, a field by its name.
    func place(of path: String) -> String {
        guard path.hasPrefix("$.") else { return path }
        let rest = path.dropFirst(2)
        let member = rest.prefix { $0 != "." && $0 != "[" }
        if let found = query.first(where: {
            rest == $0.parameter.member || $0.parameter.member == member
        }) {
            return "?" + found.parameter.name
        }
        switch member {
        case "event" where route.body == .event: return "$" + rest.dropFirst(5)
        case "dedup" where key != nil: return "Idempotency-Key"
        case "expect" where expectation != nil:
            return expectation == .absent ? "If-None-Match" : "If-Match"
        case "from" where lastEvent != nil: return "Last-Event-ID"
        case "effect" where variables["effect"] != nil: return "/effect"
        case "to", "name", "machine":
            guard !variables.isEmpty else { return path }
            return variables["name"] == nil || member == "machine" ? "/machine" : "/name"
        default:
            let missing = route.parameters.first { $0.member == rest || $0.member == member }
            return missing.map { "?" + $0.name } ?? path
        }
    }
}
