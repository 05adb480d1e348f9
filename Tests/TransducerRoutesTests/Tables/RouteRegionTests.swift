import Testing
import TransducerRoutes

/// Transitions inside a region.
private enum Inner: StateType, CaseIterable, Codable { case idle, busy }

/// A machine with two regions, of which at most one is active.
private enum Outer: StateType, CaseIterable, Codable {
    case off
    case left(Inner)
    case right(Inner)

    static var allCases: [Outer] {
        [.off] + Inner.allCases.map(left) + Inner.allCases.map(right)
    }

    var inLeft: Inner? { if case .left(let inner) = self { inner } else { nil } }
    var inRight: Inner? { if case .right(let inner) = self { inner } else { nil } }
}

private enum Key: EventType, CaseIterable, Codable { case work, rest, next, stop }

private let inner = RouteTable<Inner, Key, String> { table in
    table.on(.work, .idle => .busy) { _ in .output("inside") }
    table.move(.idle => .busy)
    table.on(.rest, .busy => .idle, when: .named("tired") { _ in false })
}

private let outer = RouteTable<Outer, Key, String> { table in
    let left = table.region(
        "left", inner, extract: \.inLeft, embed: { .left($0) })
    table.region("right", inner, extract: \.inRight, embed: { .right($0) })
    table.on(.next, .off => .left(.idle))
    table.on(.next, .left(.busy) => .right(.idle))
    table.on(.next, .right(.busy) => .off)
    table.on(.stop, leaving: left, to: .off) { _ in .output("left it") }
    table.handle(.any => .any) { _ in .output("around") }
}

@Suite("Nested regions")
struct RouteRegionTests {
    @Test func `child regions move alone: an event inside one moves no other`() throws {
        var state = Outer.left(.idle)
        let step = try outer.step(&state, event: .work)
        #expect(state == .left(.busy))
        #expect(step.fromState == .left(.idle))
        #expect(step.toState == .left(.busy))
        #expect(outer.go(.work, from: .right(.idle)) == .right(.busy))
    }

    @Test func `switching regions needs the exit condition`() {
        #expect(outer.go(.next, from: .off) == .left(.idle))
        #expect(outer.go(.next, from: .left(.idle)) == nil)
        #expect(outer.go(.next, from: .left(.busy)) == .right(.idle))
        #expect(outer.go(.next, from: .right(.idle)) == nil)
        #expect(outer.go(.next, from: .right(.busy)) == .off)
    }

    @Test func `handlers inside run before those around`() throws {
        var state = Outer.left(.idle)
        #expect(try outer.step(&state, event: .work).outputs == ["inside", "around"])
    }

    @Test func `a route may leave a region from whatever is active inside`() throws {
        for inside in [Inner.idle, .busy] {
            var state = Outer.left(inside)
            #expect(try outer.step(&state, event: .stop).outputs == ["left it", "around"])
            #expect(state == .off)
        }
        #expect(outer.go(.stop, from: .right(.idle)) == nil)
        #expect(outer.go(.stop, from: .off) == nil)
    }

    @Test func `the inside is tried before the routes around`() {
        let table = RouteTable<Outer, Key, String> { table in
            table.on(.work, .left(.idle) => .off)
            table.region("left", inner, extract: \.inLeft, embed: { .left($0) })
        }
        #expect(table.go(.work, from: .left(.idle)) == .left(.busy))
    }

    @Test func `events that the inside refuses go to the routes around`() {
        let table = RouteTable<Outer, Key, String> { table in
            let left = table.region("left", inner, extract: \.inLeft, embed: { .left($0) })
            table.on(.rest, leaving: left, to: .off)
        }
        #expect(table.go(.rest, from: .left(.busy)) == .off)
    }

    @Test func `a region beats any state, and an exact state beats a region`() {
        let table = RouteTable<Outer, Key, String> { table in
            let left = table.region("left", inner, extract: \.inLeft, embed: { .left($0) })
            table.on(.stop, .any => .right(.idle))
            table.on(.stop, leaving: left, to: .off)
            table.on(.stop, .left(.busy) => .right(.busy))
        }
        #expect(table.go(.stop, from: .left(.idle)) == .off)
        #expect(table.go(.stop, from: .left(.busy)) == .right(.busy))
        #expect(table.go(.stop, from: .off) == .right(.idle))
    }

    @Test func `a refusal names the guards inside and accepts what is taken inside`() {
        let refusal = outer.refusal(of: .rest, from: .left(.busy))
        #expect(refusal?.reason == .guardRefused(["tired"]))
        #expect(refusal?.accepts == ["next", "stop"])
        #expect(outer.refusal(of: .next, from: .left(.idle))?.accepts == ["work", "stop"])
    }

    @Test func `moves inside are allowed by the routes inside`() throws {
        #expect(outer.canMove(from: .left(.idle), to: .left(.busy)))
        #expect(!outer.canMove(from: .left(.busy), to: .left(.idle)))
        #expect(!outer.canMove(from: .left(.idle), to: .right(.busy)))
        var state = Outer.right(.idle)
        #expect(try outer.move(&state, to: .right(.busy)).outputs == ["around"])
    }

    @Test func `asking where an event leads runs no handler inside`() {
        let ran = Count()
        let counting = RouteTable<Inner, Key, String> { table in
            table.on(.work, .idle => .busy) { _ in
                ran.increment()
                return .none
            }
        }
        let table = RouteTable<Outer, Key, String> { table in
            table.region("left", counting, extract: \.inLeft, embed: { .left($0) })
        }
        #expect(table.destination(of: .work, from: .left(.idle)) == .left(.busy))
        #expect(ran.value == 0)
    }

    @Test func `regions may lie within regions`() {
        enum Building: StateType {
            case closed
            case open(Outer)

            var inside: Outer? { if case .open(let outer) = self { outer } else { nil } }
        }
        let table = RouteTable<Building, Key, String> { table in
            table.region("open", outer, extract: \.inside, embed: { .open($0) })
            table.on(.next, .closed => .open(.off))
        }
        #expect(table.go(.next, from: .closed) == .open(.off))
        #expect(table.go(.next, from: .open(.off)) == .open(.left(.idle)))
        #expect(table.go(.work, from: .open(.left(.idle))) == .open(.left(.busy)))
    }

    @Test func `two regions in two properties are two machines side by side`() throws {
        struct Pair: StateType {
            var first = Stop.s0
            var second = Inner.idle
        }
        let first = RouteTable<Stop, Key, String> { $0.on(.next, .s0 => .s1) }
        let table = RouteTable<Pair, Key, String> { table in
            table.region("first", first, at: \.first)
            table.region("second", inner, at: \.second)
        }
        var state = Pair()
        _ = try table.step(&state, event: .work)
        #expect(state == Pair(first: .s0, second: .busy))
        _ = try table.step(&state, event: .next)
        #expect(state == Pair(first: .s1, second: .busy))
        #expect(table.refusal(of: .next, from: state)?.accepts == ["rest"])
    }

    @Test func `a region may have events and outputs of its own`() throws {
        let own = RouteTable<Inner, Call, Int> { table in
            table.on(.go, .idle => .busy) { _ in [.output(1), .output(2), .event(.back)] }
            table.on(.back, .busy => .idle)
        }
        let table = RouteTable<Outer, Key, String> { table in
            table.region(
                "left", own, extract: \.inLeft, embed: { $1 = .left($0) },
                event: { $0 == .work ? .go : $0 == .rest ? .back : nil },
                raise: { $0 == .go ? .work : .rest },
                output: { $0 == 1 ? nil : "number \($0)" })
        }
        var state = Outer.left(.idle)
        let steps = try table.run(&state, event: .work)
        #expect(steps.flatMap(\.outputs) == ["number 2"])
        #expect(steps.map(\.toState) == [.left(.busy), .left(.idle)])
        #expect(table.go(.next, from: .left(.idle)) == nil)
    }

    @Test func `a terminal state inside leaves every event to the routes around`() {
        struct Around: StateType { var gate: TableGate.State }
        let gate = RouteTable<TableGate.State, TableGate.Event, String> { table in
            table.on(.any, .any => .broken)
            table.move(.any => .any)
        }
        let table = RouteTable<Around, TableGate.Event, String> { table in
            table.region("gate", gate, at: \.gate)
            table.on(.coin, .any => Around(gate: .locked))
        }
        let broken = Around(gate: .broken)
        #expect(table.go(.coin, from: Around(gate: .locked)) == broken)
        #expect(table.go(.coin, from: broken) == Around(gate: .locked))
        #expect(table.refusal(of: .push, from: broken)?.accepts == ["coin"])
        #expect(!table.canMove(from: broken, to: Around(gate: .locked)))
    }

    @Test func `two regions of one name are an error`() {
        let error = #expect(throws: RouteTableError.self) {
            try RouteTable<Outer, Key, String>.checked { table in
                table.region("left", inner, extract: \.inLeft, embed: { .left($0) })
                table.region("left", inner, extract: \.inRight, embed: { .right($0) })
            }
        }
        #expect(error == .duplicateRegion("left"))
        #expect(
            error?.description == "two regions are called left; give each a name of its own")
    }
}
