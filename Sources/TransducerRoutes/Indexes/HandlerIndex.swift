/// Handlers, arranged in the order in which they run: by order, then the more exact first, then
/// as declared.
@usableFromInline
struct HandlerIndex<S: StateType, E: EventType>: Sendable {
    @usableFromInline let handlers: [IndexedHandler<S, E>]
    /// The numbers of all, in the order in which they run.
    @usableFromInline let sorted: [Int]
    /// For every route the handlers that may run after it, in order.
    @usableFromInline let byRoute: [[Int]]
    /// Whether all of these are certain to run.
    @usableFromInline let isCertain: [Bool]
    /// The routes and mappings that were declared with a handler.
    @usableFromInline let owners: Set<RouteSource>

    init(_ handlers: [IndexedHandler<S, E>], routes: [IndexedRoute<S, E>]) {
        self.handlers = handlers
        let sorted = handlers.indices.map { (number: $0, handler: handlers[$0]) }.sorted {
            ($0.handler.order, $0.handler.specificity, $0.number)
                < ($1.handler.order, $1.handler.specificity, $1.number)
        }.map(\.number)
        self.sorted = sorted
        var byRoute: [[Int]] = []
        var isCertain: [Bool] = []
        for (number, route) in routes.enumerated() where !handlers.isEmpty {
            let answers = sorted.map { (number: $0, runs: handlers[$0].runs(after: number, route)) }
            byRoute.append(answers.filter { $0.runs != false }.map(\.number))
            isCertain.append(answers.allSatisfy { $0.runs != nil })
        }
        self.byRoute = byRoute
        owners = Set(
            handlers.flatMap { handler -> [RouteSource] in
                switch handler.trigger {
                case .routes(let numbers): numbers.map(RouteSource.route)
                case .source(let source): [source]
                case .event, .move, .change: []
                }
            })
        self.isCertain = isCertain
    }

    /// The handlers to run after a change by the route of this number, in order.
    @inlinable
    func handlers(afterRoute number: Int, event: E, from: S, to: S) -> [Int] {
        guard !handlers.isEmpty else { return [] }
        let possible = byRoute[number]
        if possible.isEmpty || isCertain[number] { return possible }
        return handlers(possible, afterRoute: number, event: event, from: from, to: to)
    }

    /// Those of the possible ones that run after this change.
    @usableFromInline
    func handlers(
        _ possible: [Int], afterRoute number: Int, event: E, from: S, to: S
    ) -> [Int] {
        let source = CollectionOfOne(RouteSource.route(number))
        return possible.filter {
            handlers[$0].runs(after: source, event: event, from: from, to: to)
        }
    }

    /// The handlers to run after any other change, in order.
    @usableFromInline
    func handlers(after sources: [RouteSource], event: E?, from: S, to: S) -> [Int] {
        sorted.filter { handlers[$0].runs(after: sources, event: event, from: from, to: to) }
    }

    /// Whether a handler was declared together with this route or mapping.
    @usableFromInline
    func hasOwnHandler(_ source: RouteSource) -> Bool { owners.contains(source) }
}
