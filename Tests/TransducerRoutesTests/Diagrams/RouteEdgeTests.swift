import Testing
import TransducerRoutes

@Suite("Edges of tables")
struct RouteEdgeTests {
    typealias Edge = RouteEdge<Stop, Call>

    static let table = StopTable { table in
        table.on(.go, .s0 => .s1, when: .named("paid") { _ in true })
        table.on(.go, .any => .s2)
        table.on(.any, .s3 => .any, when: .passes { _ in true })
        table.move(.s2 => .any)
        table.request("ask") { _ in nil }
        table.map("load") { event, state in event == .back && state == .s1 ? .s0 : nil }
        table.mapStates("near") { $0 == .s1 ? [.s2] : [] }
    }

    @Test func `the edges are the declared routes, then the computed ones`() {
        let edges = Self.table.edges()
        #expect(
            edges.map(\.origin) == [
                .route(0), .route(1), .route(2), .route(3), .request("ask"), .mapping("load"),
                .stateMapping("near"),
            ])
        #expect(
            edges.map(\.destination) == [
                .state(.s1), .state(.s2), .stay, .anywhere, .computed, .computed, .computed,
            ])
        #expect(edges.map(\.isGuarded) == [true, false, true, false, false, false, false])
        #expect(edges.map(\.guardName) == ["paid", nil, nil, nil, nil, nil, nil])
        #expect(edges[0].trigger == .event(.some(.go)))
        #expect(edges[2].trigger == .event(.any))
        #expect(edges[3].trigger == .move)
        #expect(edges[1].fromState == .any)
    }

    @Test func `for given states and events, the edges are exact`() {
        let edges = Self.table.edges(states: Stop.allCases, events: Call.allCases)
        let lines = edges.map { edge in
            let to = if case .state(let stop) = edge.destination { "\(stop)" } else { "?" }
            let trigger =
                switch edge.trigger {
                case .event(let pattern): pattern.description
                case .move: "move"
                }
            return "\(trigger): \(edge.fromState) > \(to)\(edge.isGuarded ? "?" : "")"
        }
        #expect(
            lines == [
                "go: s0 > s1?", "go: s0 > s2",
                "go: s1 > s2", "back: s1 > s0", "move: s1 > s2",
                "go: s2 > s2", "move: s2 > s0", "move: s2 > s1", "move: s2 > s2",
                "move: s2 > s3",
                "go: s3 > s2", "back: s3 > s3?", "jump: s3 > s3?",
            ])
    }

    @Test func `nothing leads out of a terminal state`() {
        let edges = TableGate.routes.edges(
            states: [.broken, .locked], events: TableGate.Event.allCases)
        #expect(edges.allSatisfy { $0.fromState == .some(.locked) })
        #expect(edges.count == 2)
    }

    @Test func `requests are exact too`() {
        let table = StopTable { table in
            table.request("ask") { $0 == .go ? .s3 : .s2 }
            table.move(.s0 => .s3, when: .named("paid") { _ in true })
        }
        let edges = table.edges(states: [.s0], events: [.go, .back])
        #expect(edges.map(\.origin) == [.request("ask")])
        #expect(edges.first?.destination == .state(.s3))
        #expect(edges.first?.guardName == "paid")
    }

    @Test func `a region is one edge, and exact inside`() {
        let inner = StopTable { $0.on(.go, .s0 => .s1, when: .named("paid") { _ in true }) }
        let table = RouteTable<Box, Call, String> { table in
            let box = table.region("box", inner, at: \.inside)
            table.on(.back, leaving: box, to: Box())
        }
        let edges = table.edges()
        #expect(edges.map(\.region) == ["box", "box"])
        #expect(edges.map(\.origin) == [.route(0), .region("box")])
        let exact = table.edges(states: [Box()], events: [.go, .back])
        #expect(exact.map(\.origin) == [.region("box"), .route(0)])
        #expect(exact.map(\.guardName) == ["paid", nil])
        #expect(exact.first?.destination == .state(Box(inside: .s1)))
    }
}

/// A state that contains another one.
struct Box: StateType {
    var inside = Stop.s0
}
