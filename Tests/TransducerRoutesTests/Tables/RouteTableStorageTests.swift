import Testing

@testable import TransducerRoutes

@Suite("Inside of tables")
struct RouteTableStorageTests {
    @Test func `all states and events are known where their types list them`() {
        let listed = RouteTableStorage(RouteTableBuilder<Stop, Call, Never>())
        #expect(listed.allStates == Stop.allCases)
        #expect(listed.allEvents == Call.allCases)
        #expect(listed.eventNames == [.go: "go", .back: "back", .jump: "jump"])
        let open = RouteTableStorage(RouteTableBuilder<Level, Add, Never>())
        #expect(open.allStates == nil)
        #expect(open.allEvents == nil)
        #expect(open.eventNames.isEmpty)
    }

    @Test func `the names of guards that refused are kept in order, those inside included`() {
        var refusals = GuardRefusals()
        #expect(refusals.isEmpty)
        refusals.add(nil)
        #expect(!refusals.isEmpty && refusals.names.isEmpty)
        var inside = GuardRefusals()
        inside.add(GuardRefusals())
        #expect(inside.isEmpty)
        inside.add("paid")
        refusals.add(inside)
        refusals.add("old")
        #expect(refusals.names == ["paid", "old"])
    }

    @Test func `a table's rules ask the region before the guard`() {
        let asked = Count()
        let table = RouteTable<Level, Add, Never> { table in
            let region = table.region(
                "never", RouteTable<Stop, Add, Never> { _ in }, extract: { _ in nil },
                embed: { _ in .at(0) })
            table.on(
                .reset, leaving: region, to: .at(0),
                when: .passes { _ in
                    asked.increment()
                    return true
                })
        }
        var rules = TableRules(storage: table.storage, event: .reset, from: .at(1))
        let passes = rules.passes(0, to: .at(0))
        #expect(!passes)
        #expect(asked.value == 0)
        #expect(rules.refusals.isEmpty)
    }

    @Test func `an embedding answers for states inside only`() {
        let inner = RouteTable<Stop, Call, String> { table in
            table.on(.go, .s0 => .s1)
            table.move(.s0 => .s2)
        }
        let embedding = RouteEmbedding<Level, Call, String, Stop, Call, String>(
            table: inner, extract: { $0 == .at(0) ? .s0 : $0 == .at(2) ? .s2 : nil },
            embed: { $1 = .at(Stop.allCases.firstIndex(of: $0) ?? -1) }, event: { $0 },
            raise: { $0 }, output: { $0 })
        let body = embedding.body(named: "inner", number: 3)
        var refusals = GuardRefusals()
        #expect(body.isActive(.at(0)))
        #expect(!body.isActive(.at(9)))
        #expect(body.apply(.go, .at(0), &refusals)?.toState == .at(1))
        #expect(body.apply(.go, .at(0), &refusals)?.sources == [.region(3)])
        #expect(body.apply(.go, .at(9), &refusals) == nil)
        #expect(body.move(.at(0), .at(2), &refusals)?.toState == .at(2))
        #expect(body.move(.at(0), .at(9), &refusals) == nil)
        #expect(body.moveEdges(.at(0), .at(9)).isEmpty)
        #expect(body.hasWay(.go, .at(0)))
        #expect(!body.hasWay(.go, .at(9)))
        #expect(body.edges(.go, .at(9)).isEmpty)
        #expect(body.accepted(.at(9)).isEmpty)
        #expect(body.innerLabel(.at(0)) == "s0")
    }
}
