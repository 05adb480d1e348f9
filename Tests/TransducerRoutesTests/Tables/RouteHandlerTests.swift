import Testing
import TransducerRoutes

@Suite("Handlers of tables")
struct RouteHandlerTests {
    private func outputs(
        of event: Call, from state: Stop,
        _ declare: (inout RouteTableBuilder<Stop, Call, String>) -> Void
    ) throws -> [String] {
        var state = state
        return try StopTable(declare).step(&state, event: event).outputs
    }

    @Test func `handler order with ties: by order, then the more exact, then as declared`() throws {
        let outputs = try outputs(of: .go, from: .s0) { table in
            table.on(.go, .s0 => .s1)
            table.handle(.s0 => .s1, order: 255) { _ in .output("255") }
            table.handle(.any => .any) { _ in .output("any=>any") }
            table.handle(.any => .s1) { _ in .output("any=>1") }
            table.handle(.s0 => .any) { _ in .output("0=>any, first") }
            table.handle(.s0 => .s1) { _ in .output("0=>1") }
            table.handle(.s0 => .any) { _ in .output("0=>any, second") }
            table.handle(.any => .any, order: 99) { _ in .output("99") }
            table.handle(event: .any) { _ in .output("any event") }
            table.handle(event: .go) { _ in .output("exact event") }
            table.handle(.any => .any, order: 0) { _ in .output("0") }
        }
        #expect(
            outputs == [
                "0", "99", "exact event", "0=>1", "0=>any, first", "0=>any, second", "any=>1",
                "any=>any", "any event", "255",
            ])
    }

    @Test func `a handler runs only for its own route`() throws {
        let table = StopTable { table in
            table.on(.go, .s0 => .s1) { _ in .output("0=>1") }
            table.on(.go, .s1 => .s2)
            table.on(.any, .any => .s3) { _ in .output("any") }
        }
        var state = Stop.s0
        #expect(try table.step(&state, event: .go).outputs == ["0=>1"])
        #expect(try table.step(&state, event: .go).outputs == [])
        #expect(try table.step(&state, event: .go).outputs == ["any"])
    }

    @Test func `the handler of several arrows runs for each of them`() throws {
        let table = StopTable { table in
            table.on(.go, [.s0, .s1] => .s2) { .output("from \($0.fromState)") }
        }
        var state = Stop.s0
        #expect(try table.step(&state, event: .go).outputs == ["from s0"])
        state = .s1
        #expect(try table.step(&state, event: .go).outputs == ["from s1"])
    }

    @Test func `a handler of a change runs for events and for moves`() throws {
        let table = StopTable { table in
            table.on(.go, .s0 => .s1)
            table.move(.s0 => .s1)
            table.handle(.s0 => .s1) { .output($0.event == nil ? "move" : "event") }
        }
        var state = Stop.s0
        #expect(try table.step(&state, event: .go).outputs == ["event"])
        state = .s0
        #expect(try table.move(&state, to: .s1).outputs == ["move"])
    }

    @Test func `a handler of an event runs whatever route took it, and for no move`() throws {
        let table = StopTable { table in
            table.on(.go, .s0 => .s1)
            table.map { _, _ in .s2 }
            table.move(.any => .any)
            table.handle(event: .go) { _ in .output("go") }
        }
        var state = Stop.s0
        #expect(try table.step(&state, event: .go).outputs == ["go"])
        #expect(try table.step(&state, event: .go).outputs == ["go"])
        #expect(try table.step(&state, event: .back).outputs == [])
        #expect(try table.move(&state, to: .s0).outputs == [])
    }

    @Test func `entry and exit handlers also run where a state stays what it is`() throws {
        let outputs = try outputs(of: .go, from: .s1) { table in
            table.on(.go, .any => .any)
            table.entry(.s1) { _ in .output("in") }
            table.exit(.s1) { _ in .output("out") }
            table.entry(.s2) { _ in .output("never") }
        }
        #expect(outputs == ["out", "in"])
    }

    @Test func `a handler of an exact event runs for routes of any event too`() throws {
        let outputs = try outputs(of: .go, from: .s0) { table in
            table.on(.any, .any => .s1)
            table.handle(event: .go) { _ in .output("go") }
            table.handle(event: .back) { _ in .output("back") }
            table.handle(.s0 => .s1) { _ in .output("0=>1") }
            table.handle(.s1 => .s1) { _ in .output("1=>1") }
        }
        #expect(outputs == ["go", "0=>1"])
    }

    @Test func `an event raised by a handler waits until all handlers of the step have run`() throws
    {
        let table = StopTable { table in
            table.on(.go, .s0 => .s1) { _ in [.output("first"), .event(.back)] }
            table.handle(.s0 => .s1, order: 200) { .output("second, in \($0.toState)") }
            table.on(.back, .s1 => .s2) { _ in .output("third") }
        }
        var state = Stop.s0
        let steps = try table.run(&state, event: .go)
        #expect(steps.flatMap(\.outputs) == ["first", "second, in s1", "third"])
        #expect(steps.map(\.toState) == [.s1, .s2])
        #expect(state == .s2)
    }

    @Test func `raised events are applied in order and depth-first`() throws {
        let table = RouteTable<Word, Word, String> { table in
            table.on("start", .any => .any) { _ in [.event("a"), .event("b"), .event("c")] }
            table.on("a", .any => .any) { _ in [.output("a"), .event("aa")] }
            table.on(.any, .any => .any) { .output($0.event?.description ?? "") }
        }
        var state: Word = "x"
        let steps = try table.run(&state, event: "start")
        #expect(steps.flatMap(\.outputs) == ["a", "aa", "b", "c"])
    }

    @Test func `an endless chain of raised events is refused, state as before`() {
        let table = StopTable { table in
            table.on(.go, .s0 => .s1) { _ in .event(.back) }
            table.on(.back, .s1 => .s0) { _ in .event(.go) }
        }
        var state = Stop.s0
        #expect(
            throws: RouteRefusal<Stop, Call>(
                fromState: .s0, event: .go, toState: nil, reason: .tooManyEvents(1_000),
                accepts: [])
        ) { try table.run(&state, event: .go) }
        #expect(state == .s0)
    }

    @Test func `events raised after a terminal step are not applied`() throws {
        let table = RouteTable<TableGate.State, TableGate.Event, String> { table in
            table.on(.coin, .any => .unlocked) { _ in [.event(.kick), .event(.push)] }
            table.on(.kick, .any => .broken) { _ in .event(.coin) }
            table.on(.any, .any => .locked)
        }
        var state = TableGate.State.locked
        let steps = try table.run(&state, event: .coin)
        #expect(steps.map(\.toState) == [.unlocked, .broken])
        #expect(state == .broken)
    }

    @Test func `a refused raised event refuses the whole, state as before`() {
        let table = StopTable { table in
            table.on(.go, .s0 => .s1) { _ in .event(.jump) }
        }
        var state = Stop.s0
        #expect(throws: RouteRefusal<Stop, Call>.self) { try table.run(&state, event: .go) }
        #expect(state == .s0)
    }

    @Test func `a reaction may hold reactions`() throws {
        let outputs = try outputs(of: .go, from: .s0) { table in
            table.on(.go, .s0 => .s1) { _ in
                [.none, .several([.output("a"), [.output("b")]]), .output("c")]
            }
        }
        #expect(outputs == ["a", "b", "c"])
        let reaction: RouteReaction<Call, String> = [.output("a")]
        #expect(reaction == .several([.output("a")]))
    }
}
