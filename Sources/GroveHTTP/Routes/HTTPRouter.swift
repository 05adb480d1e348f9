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
    func match(_ method: HTTPMethod, _ path: [ArraySlice<UInt8>]) -> Match {
        let candidates = routes[path.count] ?? []
        for route in candidates
        where route.method == method || method == .head && route.hasHead {
            if let variables = route.match(path) { return .route(route, variables: variables) }
        }
        var others: [HTTPMethod] = []
        for route in candidates where route.match(path) != nil {
            others.append(route.method)
            if route.hasHead { others.append(.head) }
        }
        return others.isEmpty ? .nowhere : .otherMethods(others)
    }
}

extension HTTPRoute {
    /// Whether HEAD has it, too.
    fileprivate var hasHead: Bool { method == .get && !isStream }

    /// Whether its answer has no end of its own.
    var isStream: Bool { action == .records || action == .socket }
}
