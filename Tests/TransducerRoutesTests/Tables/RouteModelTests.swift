import Testing
import TransducerRoutes

/// Compares random tables with a simple implementation of the precedence rules, and with a machine
/// that has the same routes.
@Suite("Random tables against the definition")
struct RouteModelTests {
    /// A route in the simple model. Its guard always gives the same answer.
    struct Drawn {
        let event: Call?
        let from: Stop?
        let to: Stop?
        /// `nil` for a route without a guard.
        let passes: Bool?
    }

    /// A self-contained random generator.
    struct Draws {
        var state: UInt64

        mutating func next(below bound: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33) % bound
        }

        mutating func routes() -> [Drawn] {
            (0..<next(below: 25)).map { _ in
                let event = next(below: 4)
                let from = next(below: 5)
                let to = next(below: 5)
                return Drawn(
                    event: event < 3 ? Call.allCases[event] : nil,
                    from: from < 4 ? Stop.allCases[from] : nil,
                    to: to < 4 ? Stop.allCases[to] : nil,
                    passes: [true, false, nil][next(below: 3)])
            }
        }
    }

    /// Returns the destination of an event by the documented rules.
    private func expected(_ routes: [Drawn], _ event: Call, _ state: Stop) -> Stop? {
        let fitting = routes.enumerated().filter { _, route in
            (route.event ?? event) == event && (route.from ?? state) == state
                && route.passes != false
        }
        let first = fitting.min { left, right in
            let (a, b) = (left.element, right.element)
            if (a.event == nil) != (b.event == nil) { return a.event != nil }
            if (a.from == nil) != (b.from == nil) { return a.from != nil }
            if (a.to == nil) != (b.to == nil) { return a.to != nil }
            return left.offset < right.offset
        }
        return first.map { $0.element.to ?? state }
    }

    private func table(_ routes: [Drawn]) -> StopTable {
        StopTable { table in
            for (number, route) in routes.enumerated() {
                let passes = route.passes
                // Unnamed guards all differ, so no route is a duplicate.
                table.on(
                    EventPattern(rawValue: route.event),
                    StatePattern(rawValue: route.from) => StatePattern(rawValue: route.to),
                    when: .passes { _ in passes ?? true }
                ) { _ in .output("\(number)") }
            }
        }
    }

    private func machine(_ routes: [Drawn], state: Stop) -> Machine<Stop, Call> {
        Machine(state: state) { machine in
            for route in routes {
                let arrow =
                    StatePattern(rawValue: route.from) => StatePattern(rawValue: route.to)
                machine.addRoutes(
                    event: EventPattern(rawValue: route.event), transitions: [arrow],
                    condition: route.passes.map { passes in { _ in passes } })
            }
        }
    }

    @Test(arguments: 0..<200)
    func `a table and a machine of any routes answer as the definition says`(seed: Int) {
        var draws = Draws(state: UInt64(seed))
        let routes = draws.routes()
        let table = table(routes)
        for state in Stop.allCases {
            let machine = machine(routes, state: state)
            for event in Call.allCases {
                let expected = expected(routes, event, state)
                #expect(table.go(event, from: state) == expected)
                #expect(table.destination(of: event, from: state) == expected)
                #expect(machine.canTryEvent(event) == expected)
            }
        }
    }

    @Test(arguments: 0..<200)
    func `one handler of routes runs for each event that is taken`(seed: Int) throws {
        var draws = Draws(state: UInt64(seed))
        let table = table(draws.routes())
        for state in Stop.allCases {
            for event in Call.allCases where table.destination(of: event, from: state) != nil {
                var state = state
                #expect(try table.step(&state, event: event).outputs.count == 1)
            }
        }
    }

    @Test(arguments: 0..<100)
    func `the exact edges are where the table goes, if guards may answer either way`(seed: Int) {
        var draws = Draws(state: UInt64(seed))
        let table = table(draws.routes())
        let edges = table.edges(states: Stop.allCases, events: Call.allCases)
        for state in Stop.allCases {
            for event in Call.allCases {
                let mine = edges.filter {
                    $0.fromState == .some(state) && $0.trigger == .event(.some(event))
                }
                if let to = table.destination(of: event, from: state) {
                    #expect(mine.contains { $0.destination == .state(to) })
                }
                #expect(mine.isEmpty == !table.acceptedEvents(in: state).contains(event))
            }
        }
    }
}
