import Testing

@testable import TransducerRoutes

@Suite("Indexes of routes and handlers")
struct RouteIndexTests {
    /// Rules that pass the routes in a set, and record the routes they were asked for.
    private struct Rules: RouteRules {
        typealias S = Stop

        var passing: Set<Int>
        var asked: [Int] = []

        mutating func passes(_ route: Int, to: Stop) -> Bool {
            asked.append(route)
            return passing.contains(route)
        }
    }

    private func route(
        _ event: EventPattern<Call>?, _ transition: Transition<Stop>, isGuarded: Bool = true
    ) -> IndexedRoute<Stop, Call> {
        IndexedRoute(event: event, transition: transition, isGuarded: isGuarded)
    }

    @Test func `guards are called in order of precedence, and none after the winner`() {
        let index = RouteIndex([
            route(.any, .any => .any), route(.any, .any => .s1), route(.any, .s0 => .any),
            route(.any, .s0 => .s1), route(.some(.go), .any => .any),
            route(.some(.go), .any => .s1), route(.some(.go), .s0 => .any),
            route(.some(.go), .s0 => .s1), route(.some(.go), .s0 => .s2),
            route(.some(.back), .s0 => .s1), route(nil, .s0 => .s1),
        ])
        var rules = Rules(passing: [])
        #expect(index.winner(for: .go, in: .s0, rules: &rules) == nil)
        #expect(rules.asked == [7, 8, 6, 5, 4, 3, 2, 1, 0])
        rules = Rules(passing: [5, 3])
        #expect(index.winner(for: .go, in: .s0, rules: &rules)?.number == 5)
        #expect(rules.asked == [7, 8, 6, 5])
        #expect(index.candidates(for: .go, in: .s0).map(\.number) == [7, 8, 6, 5, 4, 3, 2, 1, 0])
    }

    @Test func `a route without a guard needs no call`() {
        let index = RouteIndex([route(.some(.go), .s0 => .any, isGuarded: false)])
        var rules = Rules(passing: [])
        let winner = index.winner(for: .go, in: .s0, rules: &rules)
        #expect(winner?.number == 0)
        #expect(winner?.toState == .s0)
        #expect(rules.asked.isEmpty)
    }

    @Test func `moves are found by both states, the exact ones first`() {
        let index = RouteIndex([
            route(nil, .any => .any), route(nil, .any => .s1), route(nil, .s0 => .any),
            route(nil, .s0 => .s1), route(nil, .s0 => .s2), route(.some(.go), .s0 => .s1),
        ])
        #expect(index.moves(from: .s0, to: .s1).map(\.number) == [3, 2, 1, 0])
        #expect(index.moves(from: .s3, to: .s1).map(\.number) == [1, 0])
        #expect(index.eventRoutes(from: .s0, to: .s1).map(\.number) == [5])
        #expect(index.eventRoutes(from: .s0, to: .s0).isEmpty)
    }

    @Test func `handlers of a route are known before it runs, where patterns decide`() {
        let routes = [
            route(.some(.go), .s0 => .s1), route(.any, .s0 => .s1), route(.some(.go), .any => .s1),
        ]
        let handlers: [IndexedHandler<Stop, Call>] = [
            IndexedHandler(order: 100, trigger: .change, transition: .s0 => .any),
            IndexedHandler(order: 100, trigger: .event(.some(.back))),
            IndexedHandler(order: 50, trigger: .routes(1..<3)),
            IndexedHandler(order: 100, trigger: .move),
            IndexedHandler(order: 100, trigger: .change, transition: .s2 => .s3),
        ]
        let index = HandlerIndex(handlers, routes: routes)
        #expect(index.sorted == [2, 1, 4, 0, 3])
        #expect(index.byRoute == [[0], [2, 1, 0], [2, 0]])
        #expect(index.isCertain == [true, false, false])
        #expect(index.handlers(afterRoute: 1, event: .go, from: .s0, to: .s1) == [2, 0])
        #expect(index.handlers(afterRoute: 1, event: .back, from: .s0, to: .s1) == [2, 1, 0])
        #expect(index.handlers(afterRoute: 2, event: .go, from: .s3, to: .s1) == [2])
        #expect(index.handlers(after: [.route(0)], event: nil, from: .s2, to: .s3) == [4, 3])
        #expect(index.hasOwnHandler(.route(2)))
        #expect(!index.hasOwnHandler(.route(0)))
    }

    @Test func `caused events are applied depth-first, up to a bound`() {
        var queue = ImmediateQueue<String>(countMax: 4)
        let first = queue.add(["a", "b"])
        var taken = [queue.next()]
        let second = queue.add(["aa", "ab"])
        for _ in 0..<4 { taken.append(queue.next()) }
        #expect(taken == ["a", "aa", "ab", "b", nil])
        let nothing = queue.add([])
        let tooMuch = queue.add(["c"])
        #expect([first, second, nothing, tooMuch] == [true, true, true, false])
        let rest = queue.next()
        #expect(rest == nil)
    }
}
