import Testing
import TransducerRoutes

@Suite("Analyzing tables")
struct RouteAnalysisTests {
    @Test func `a sound table has no problems`() {
        let table = StopTable { table in
            table.on(.any, [.s0 => .s1, .s1 => .s2, .s2 => .s3, .s3 => .s0])
        }
        let analysis = table.analysis(from: [.s0])
        #expect(analysis.reached == [.s0, .s1, .s2, .s3])
        #expect(analysis.unreachable.isEmpty)
        #expect(analysis.deadEnds.isEmpty)
        #expect(analysis.traps.isEmpty)
        #expect(analysis.unhandled.isEmpty)
        #expect(analysis.neverWinning.isEmpty)
        #expect(analysis.isComplete)
    }

    @Test func `unreachable states, dead ends and traps are found`() {
        let table = StopTable { table in
            table.on(.go, .s0 => [.s1, .s2], when: .named("paid") { _ in false })
            table.on(.back, .s2 => .any)
        }
        let analysis = table.analysis(from: [.s0])
        #expect(analysis.reached == [.s0, .s1, .s2])
        #expect(analysis.unreachable == [.s3])
        #expect(analysis.deadEnds == [.s1])
        #expect(analysis.traps == [.s2])
    }

    @Test func `a terminal state is no dead end and handles nothing`() {
        let analysis = TableGate.routes.analysis(from: [.locked])
        #expect(analysis.reached == [.locked, .unlocked, .broken])
        #expect(analysis.deadEnds.isEmpty)
        #expect(analysis.traps.isEmpty)
        #expect(
            analysis.unhandled.map { "\($0.state) \($0.event)" }
                == ["locked push", "unlocked coin"])
    }

    @Test func `routes that can never win are found`() {
        let table = StopTable { table in
            table.on(.go, .s0 => .s1)
            table.on(.go, .s0 => .s2)
            table.on(.go, .s0 => .any)
            table.on(.go, .s1 => .s0, when: .passes { _ in false })
            table.on(.go, .s1 => .s2)
            table.on(.any, .s1 => .s3)
            table.on(.any, .any => .s3)
        }
        let analysis = table.analysis(from: [.s0])
        #expect(analysis.neverWinning.map(\.origin) == [.route(1), .route(2)])
        let exact = StopTable { table in
            table.on(.any, .any => .s3)
            table.on(.any, [.s0, .s1, .s2, .s3] => .s0)
        }
        #expect(exact.analysis(from: [.s0]).neverWinning.map(\.origin) == [.route(0)])
    }

    @Test func `a route of an unreachable state isn't called one that can't win`() {
        let table = StopTable { $0.on(.go, .s3 => .s0) }
        let analysis = table.analysis(from: [.s0])
        #expect(analysis.unreachable == [.s1, .s2, .s3])
        #expect(analysis.neverWinning.isEmpty)
    }

    @Test func `moves and mappings reach states too`() {
        let table = StopTable { table in
            table.move(.s0 => .s1)
            table.map { event, state in event == .go && state == .s1 ? .s2 : nil }
            table.mapStates { $0 == .s2 ? [.s3] : [] }
        }
        #expect(table.analysis(from: [.s0]).reached == [.s0, .s1, .s2, .s3])
    }

    @Test func `without lists of cases, the named states are analyzed`() {
        let table = RouteTable<Word, Word, Never> { table in
            table.on("go", "a" => "b")
            table.on("go", "c" => "a")
            table.on("back", "b" => "a")
        }
        let analysis = table.analysis(from: ["a"])
        #expect(analysis.reached == ["a", "b"])
        #expect(analysis.unreachable == ["c"])
        #expect(
            analysis.unhandled.map { "\($0.state) \($0.event)" } == ["a back", "b go"])
        let more = table.analysis(from: ["a"], states: ["a", "d"], events: ["go"])
        #expect(more.unreachable == ["d"])
        #expect(more.deadEnds == ["b"])
    }

    @Test func `a walk of endlessly many states ends at the bound, with a note`() {
        let table = RouteTable<Level, Add, Never> { table in
            table.map { _, state in if case .at(let height) = state { .at(height + 1) } else { nil }
            }
        }
        let analysis = table.analysis(from: [.at(0)], events: [.reset], statesMax: 100)
        #expect(analysis.reached.count == 100)
        #expect(!analysis.isComplete)
        #expect(table.analysis(from: [], events: [.reset]).reached.isEmpty)
    }

    @Test func `a region's states are reached inside`() {
        let inner = StopTable { $0.on(.go, .s0 => .s1) }
        let table = RouteTable<Box, Call, String> { table in
            table.region("box", inner, at: \.inside)
            table.on(.go, Box() => Box(inside: .s3))
        }
        let analysis = table.analysis(from: [Box(), Box()])
        #expect(analysis.reached == [Box(), Box(inside: .s1)])
        #expect(analysis.unreachable == [Box(inside: .s3)])
        #expect(analysis.neverWinning.map(\.origin) == [.route(0)])
    }
}
