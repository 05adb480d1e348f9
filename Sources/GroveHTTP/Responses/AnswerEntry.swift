/// What a log says of an answer. Nothing in it is a client's text: no path, name, query or key.
package struct AnswerEntry: Sendable, Equatable {
    /// The method and the path of the route, with its variable parts in braces; `nil` for a request
    /// that was refused before it had one.
    package var route: String?
    package var status: Int
    /// The bytes of the body; `nil` for a stream, which has only begun.
    package var bytes: Int?
    /// The time since the request's first byte.
    package var milliseconds: Int64

    init(_ status: Int, of exchange: Exchange, bytes: Int?, milliseconds: Int64) {
        let route = exchange.route
        self.route =
            route === HTTPRoute.refused
            ? nil : "\(exchange.isHead ? "HEAD" : route.method.text) \(route.template)"
        self.status = status
        self.bytes = bytes
        self.milliseconds = milliseconds
    }
}
