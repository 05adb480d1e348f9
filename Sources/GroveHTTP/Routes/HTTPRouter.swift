/// Finds the route of a request.
struct HTTPRouter: Sendable {
    private let routes: [Int: [HTTPRoute]]

    init(_ all: [HTTPRoute]) {
        routes = Dictionary(grouping: all) { $0.segments.count }
    }

    enum Match {
        case route(HTTPRoute, variables: PathVariables)
        /// No route has the path.
        case nowhere
        /// The path has only these methods.
        case otherMethods([HTTPMethod])
    }

    /// The route of a method and the segments of a path. HEAD is GET without a body, but for what
    /// doesn't end by itself.
    func match(_ method: HTTPMethod, _ path: [[UInt8]]) -> Match {
        var others: [HTTPMethod] = []
        for route in routes[path.count] ?? [] {
            guard let variables = route.match(path) else { continue }
            if route.method == method { return .route(route, variables: variables) }
            let hasHead = route.method == .get && !route.isStream
            if method == .head, hasHead { return .route(route, variables: variables) }
            others.append(route.method)
            if hasHead { others.append(.head) }
        }
        return others.isEmpty ? .nowhere : .otherMethods(others)
    }
}

extension HTTPRoute {
    /// Whether its answer has no end of its own.
    var isStream: Bool { action == .records || action == .socket }
}
