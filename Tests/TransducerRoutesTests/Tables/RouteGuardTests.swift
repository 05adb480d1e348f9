import Testing
import TransducerRoutes

@Suite("Guards")
struct RouteGuardTests {
    @Test func `guard false then true: refused, then accepted`() {
        let isPaid = Switch()
        let table = StopTable { table in
            table.on(.go, .s0 => .s1, when: .named("paid") { _ in isPaid.isOn })
        }
        #expect(table.go(.go, from: .s0) == nil)
        isPaid.turnOn()
        #expect(table.go(.go, from: .s0) == .s1)
    }

    @Test func `0=>any except 2`() {
        let table = StopTable { table in
            table.move(.s0 => .any, when: .passes { $0.toState != .s2 })
        }
        #expect(Stop.allCases.filter { table.canMove(from: .s0, to: $0) } == [.s0, .s1, .s3])
    }

    @Test func `a guarded handler beside an unguarded route: the transition happens without it`()
        throws
    {
        let isLoud = Switch()
        let table = StopTable { table in
            table.move(.s0 => .s1)
            table.move(.s0 => .s1, when: .named("loud") { _ in isLoud.isOn }) { _ in
                .output("noise")
            }
        }
        var state = Stop.s0
        #expect(try table.move(&state, to: .s1).outputs == [])
        #expect(state == .s1)
        isLoud.turnOn()
        state = .s0
        #expect(try table.move(&state, to: .s1).outputs == ["noise"])
    }

    @Test
    func `a guarded route beside an unguarded one: whichever passes first has its handler run`()
        throws
    {
        let isLoud = Switch()
        let table = StopTable { table in
            table.on(.go, .s0 => .s1, when: .named("loud") { _ in isLoud.isOn }) { _ in
                .output("noise")
            }
            table.on(.go, .s0 => .s1)
        }
        var state = Stop.s0
        #expect(try table.step(&state, event: .go).outputs == [])
        isLoud.turnOn()
        state = .s0
        #expect(try table.step(&state, event: .go).outputs == ["noise"])
    }

    @Test func `guard counted once per attempt`() throws {
        let asked = Count()
        let table = StopTable { table in
            table.on(
                .go, .any => .s1,
                when: .named("count") { _ in
                    asked.increment()
                    return true
                }
            ) { _ in .output("ran") }
            table.handle(.any => .s1) { _ in .none }
        }
        var state = Stop.s0
        _ = try table.step(&state, event: .go)
        #expect(asked.value == 1)
        _ = try table.step(&state, event: .go)
        #expect(asked.value == 2)
    }

    @Test func `a guard that refuses is counted once as well`() {
        let asked = Count()
        let table = StopTable { table in
            table.on(
                .go, .s0 => .s1,
                when: .passes { _ in
                    asked.increment()
                    return false
                })
        }
        #expect(table.refusal(of: .go, from: .s0) != nil)
        #expect(asked.value == 1)
    }

    @Test func `guards after the winner are not called`() {
        let asked = Count()
        let table = StopTable { table in
            table.on(.go, .s0 => .s1)
            table.on(
                .go, .any => .s2,
                when: .passes { _ in
                    asked.increment()
                    return true
                })
        }
        #expect(table.go(.go, from: .s0) == .s1)
        #expect(asked.value == 0)
    }

    @Test func `a guard sees the event and both states, before the change`() throws {
        let table = RouteTable<Level, Add, Never> { table in
            table.on(
                .any, .any => .any,
                when: .passes { context in
                    context.event == .add(5) && context.fromState == context.toState
                })
        }
        #expect(table.go(.add(5), from: .at(1)) == .at(1))
        #expect(table.go(.add(6), from: .at(1)) == nil)
    }

    @Test func `guards keep their names`() {
        let named = RouteGuard<Stop, Call>("paid") { _ in true }
        let other = RouteGuard<Stop, Call> { _ in false }
        let context = RouteContext<Stop, Call>(event: .go, fromState: .s0, toState: .s1)
        #expect(named.name == "paid")
        #expect(other.name == nil)
        #expect(named.passes(context))
        #expect(!other.passes(context))
    }
}

/// A state that carries a number.
enum Level: StateType, Codable { case at(Int) }

/// An event that carries a number.
enum Add: EventType, Codable {
    case add(Int)
    case reset
}
