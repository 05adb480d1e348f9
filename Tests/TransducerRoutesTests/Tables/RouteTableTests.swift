import Testing
import TransducerRoutes

@Suite("Route tables")
struct RouteTableTests {
    static let twoRoutes = StopTable { table in
        table.on(.go, .s0 => .s1)
        table.on(.go, .s1 => .s2)
    }

    @Test func `an event leads along its route`() throws {
        var state = Stop.s0
        let step = try Self.twoRoutes.step(&state, event: .go)
        #expect(state == .s1)
        #expect(step == RouteStep(event: .go, fromState: .s0, toState: .s1))
        #expect(Self.twoRoutes.go(.go, from: .s1) == .s2)
    }

    @Test func `an event with no route is refused and the state is unchanged`() {
        var state = Stop.s2
        #expect(throws: RouteRefusal<Stop, Call>.self) {
            try Self.twoRoutes.step(&state, event: .go)
        }
        #expect(state == .s2)
    }

    @Test func `a stay route leaves the state unchanged, runs its handlers and is accepted`() throws
    {
        let table = StopTable { table in
            table.on(.go, .any => .any) { .output("stayed in \($0.toState)") }
        }
        for stop in Stop.allCases {
            var state = stop
            let step = try table.step(&state, event: .go)
            #expect(state == stop)
            #expect(step.outputs == ["stayed in \(stop)"])
        }
    }

    @Test func `any=>s includes s`() {
        let table = StopTable { $0.on(.go, .any => .s1) }
        #expect(Stop.allCases.allSatisfy { table.go(.go, from: $0) == .s1 })
        let moves = StopTable { $0.move(.any => .s1) }
        #expect(Stop.allCases.allSatisfy { moves.canMove(from: $0, to: .s1) })
        #expect(!Stop.allCases.contains { moves.canMove(from: $0, to: .s0) })
    }

    @Test func `s=>any allows every destination, but only from s`() {
        let table = StopTable { $0.move(.s1 => .any) }
        #expect(Stop.allCases.allSatisfy { table.canMove(from: .s1, to: $0) })
        for from in [Stop.s0, .s2, .s3] {
            #expect(!Stop.allCases.contains { table.canMove(from: from, to: $0) })
        }
    }

    @Test func `array × array allows exactly those four transitions`() {
        let table = StopTable { $0.move([.s0, .s1] => [.s2, .s3]) }
        let allowed = Stop.allCases.flatMap { from in
            Stop.allCases.filter { table.canMove(from: from, to: $0) }.map { "\(from)\($0)" }
        }
        #expect(allowed == ["s0s2", "s0s3", "s1s2", "s1s3"])
    }

    @Test func `with an event, the first of several destinations wins`() {
        let table = StopTable { $0.on(.go, .s0 => [.s2, .s1]) }
        #expect(table.go(.go, from: .s0) == .s2)
    }

    @Test func `a list of arrows is several routes`() {
        let table = StopTable { table in
            table.on(.go, [.s0 => .s1, .s1 => .s2])
            table.on(.any, [.s2 => .s3, .s3 => .s0])
            table.move([.s0 => .s3, .s3 => .s1])
        }
        #expect(Stop.allCases.map { table.go(.go, from: $0) } == [.s1, .s2, .s3, .s0])
        #expect(table.canMove(from: .s3, to: .s1))
    }

    @Test func `moving goes where a state route allows`() throws {
        let table = StopTable { table in
            table.move(.s0 => .s1) { .output("\($0.fromState) to \($0.toState)") }
        }
        var state = Stop.s0
        let step = try table.move(&state, to: .s1)
        #expect(state == .s1)
        #expect(step.event == nil)
        #expect(step.outputs == ["s0 to s1"])
        #expect(throws: RouteRefusal<Stop, Call>.self) { try table.move(&state, to: .s0) }
        #expect(state == .s1)
    }

    @Test func `routes of events allow no moves`() {
        #expect(!Self.twoRoutes.canMove(from: .s0, to: .s1))
    }

    @Test func `moves run the handlers of every route that allows them`() throws {
        let table = StopTable { table in
            table.move(.any => .s1) { _ in .output("entered") }
            table.move(.s0 => .any) { _ in .output("left") }
            table.move(.s0 => .s1)
            table.move(.s0 => .s1, when: .passes { _ in false }) { _ in .output("never") }
        }
        var state = Stop.s0
        #expect(try table.move(&state, to: .s1).outputs == ["left", "entered"])
    }

    @Test func `the same routes in another order of other precedence mean the same`() {
        let declarations: [(inout RouteTableBuilder<Stop, Call, String>) -> Void] = [
            { $0.on(.go, .s0 => .s1) }, { $0.on(.go, .any => .s2) },
            { $0.on(.any, .s0 => .s3) }, { $0.on(.any, .any => .s0) },
        ]
        for rotation in declarations.indices {
            let table = StopTable { builder in
                for index in declarations.indices {
                    declarations[(index + rotation) % declarations.count](&builder)
                }
            }
            #expect(table.go(.go, from: .s0) == .s1)
            #expect(table.go(.go, from: .s1) == .s2)
            #expect(table.go(.back, from: .s0) == .s3)
            #expect(table.go(.back, from: .s1) == .s0)
        }
    }
}
