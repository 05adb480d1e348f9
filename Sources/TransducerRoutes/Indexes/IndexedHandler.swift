/// The order of a handler within a step: smaller is earlier, 0 the first, 255 the last; 100 by
/// default.
public typealias HandlerOrder = UInt8

/// The parts of a handler that an index uses: no closure.
@usableFromInline
struct IndexedHandler<S: StateType, E: EventType>: Sendable {
    @usableFromInline
    enum Trigger: Sendable {
        /// One of the routes with these numbers.
        case routes(Range<Int>)
        /// A mapping or a region.
        case source(RouteSource)
        /// A change by an event.
        case event(EventPattern<E>)
        /// A change that was asked for by its destination.
        case move
        /// A change of either kind.
        case change
    }

    @usableFromInline let order: HandlerOrder
    @usableFromInline let trigger: Trigger
    /// The changes of state that it is for.
    @usableFromInline let transition: Transition<S>
    /// Ties of ``order`` are broken by this, smaller first: how exact it is.
    let specificity: Int

    init(
        order: HandlerOrder, trigger: Trigger, transition: Transition<S>? = nil,
        specificity: Int? = nil
    ) {
        self.order = order
        self.trigger = trigger
        self.transition = transition ?? Transition(fromState: .any, toState: .any)
        let isExactEvent = if case .event(.some) = trigger { true } else { false }
        self.specificity =
            specificity ?? Self.specificity(isExactEvent: isExactEvent, self.transition)
    }

    /// A handler of routes with the same event, as exact as the least exact of them.
    init(
        order: HandlerOrder, routes: Range<Int>, event: EventPattern<E>?,
        transitions: [Transition<S>]
    ) {
        let isExactEvent = if case .some(.some) = event { true } else { false }
        self.init(
            order: order, trigger: .routes(routes),
            specificity: transitions.map { Self.specificity(isExactEvent: isExactEvent, $0) }.max())
    }

    /// Exact event before any; then from => to, from => any, any => to, any => any.
    static func specificity(isExactEvent: Bool, _ transition: Transition<S>) -> Int {
        (isExactEvent ? 0 : 4) + (transition.fromState.isAny ? 2 : 0)
            + (transition.toState.isAny ? 1 : 0)
    }

    /// Whether it runs after this change.
    @usableFromInline
    func runs(after sources: some Sequence<RouteSource>, event: E?, from: S, to: S) -> Bool {
        guard transition.matches(from: from, to: to) else { return false }
        switch trigger {
        case .routes(let numbers):
            return sources.contains {
                if case .route(let number) = $0 { numbers.contains(number) } else { false }
            }
        case .source(let source): return sources.contains(source)
        case .event(let pattern): return event.map(pattern.matches) ?? false
        case .move: return event == nil
        case .change: return true
        }
    }

    /// Whether it runs after changes by this route: `nil` for some of them.
    func runs(after number: Int, _ route: IndexedRoute<S, E>) -> Bool? {
        switch trigger {
        case .routes(let numbers): return numbers.contains(number)
        case .source: return false
        case .move: return route.event == nil
        case .event(let pattern):
            guard let event = route.event else { return false }
            guard let mine = pattern.rawValue else { return matches(route.transition) }
            guard let theirs = event.rawValue else { return nil }
            return mine == theirs ? matches(route.transition) : false
        case .change: return matches(route.transition)
        }
    }

    private func matches(_ other: Transition<S>) -> Bool? {
        let sides = [
            (transition.fromState, other.fromState), (transition.toState, other.toState),
        ]
        var isCertain = true
        for (mine, theirs) in sides {
            guard let mine = mine.rawValue else { continue }
            guard let theirs = theirs.rawValue else {
                isCertain = false
                continue
            }
            if mine != theirs { return false }
        }
        return isCertain ? true : nil
    }
}
