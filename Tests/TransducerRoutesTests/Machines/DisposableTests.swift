import Testing
import TransducerRoutes

@Suite("Disposables")
struct DisposableTests {
    @Test func `a disposed handler gets nothing more, and disposing twice is harmless`() {
        var count = 0
        let machine = Machine<Stop, Call>(state: .s0)
        machine.addRoutes(event: .go, transitions: [.any => .any])
        let handler = machine.addHandler(event: .go) { _ in count += 1 }
        machine.addHandler(event: .go) { _ in count += 10 }
        machine <-! .go
        #expect(count == 11)
        #expect(!handler.disposed)
        handler.dispose()
        #expect(handler.disposed)
        handler.dispose()
        machine <-! .go
        #expect(count == 21)
    }

    @Test func `disposed routes are gone, with the handler that was added with them`() {
        var count = 0
        let machine = Machine<Stop, Call>(state: .s0)
        let routes = machine.addRoutes(event: .go, transitions: [.s0 => .s1, .s1 => .s0]) { _ in
            count += 1
        }
        machine <-! .go
        routes.dispose()
        #expect(!machine.tryEvent(.go))
        #expect(count == 1)
    }

    @Test func `one of two equal routes may be taken back and the other stays`() {
        let machine = StateMachine<Stop, NoEvent>(state: .s0)
        let first = machine.addRoute(.s0 => .s1)
        machine.addRoute(.s0 => .s1)
        first.dispose()
        #expect(machine.hasRoute(.s0 => .s1))
    }

    @Test func `mappings can be taken back, with their handlers`() {
        var count = 0
        let machine = StateMachine<Stop, Call>(state: .s0)
        let mapping = machine.addRouteMapping({ _, _, _ in .s1 }, handler: { _ in count += 1 })
        let states = machine.addStateRouteMapping(
            { _, _ in [.s2] }, handler: { _ in count += 10 })
        machine <-! .go
        machine <- .s2
        #expect(count == 11)
        mapping.dispose()
        states.dispose()
        #expect(!machine.tryEvent(.go))
        #expect(!machine.tryState(.s2))
        #expect(count == 11)
    }

    @Test func `a registration doesn't keep its machine alive`() {
        var machine: Machine<Stop, Call>? = Machine(state: .s0)
        weak let trace = machine
        let route = machine?.addRoutes(event: .go, transitions: [.any => .any])
        machine = nil
        #expect(trace == nil)
        route?.dispose()
        #expect(route?.disposed == true)
    }

    @Test func `an action runs once`() {
        var count = 0
        let disposable = ActionDisposable { count += 1 }
        #expect(!disposable.disposed)
        disposable.dispose()
        disposable.dispose()
        #expect(count == 1)
        #expect(disposable.disposed)
    }

    @Test func `a group is disposed together, and later members at once`() {
        var log: [String] = []
        let group = DisposableGroup([
            ActionDisposable { log.append("a") }, ActionDisposable { log.append("b") },
        ])
        group.add(ActionDisposable { log.append("c") })
        #expect(!group.disposed)
        group.dispose()
        group.dispose()
        #expect(group.disposed)
        #expect(log == ["a", "b", "c"])
        group.add(ActionDisposable { log.append("late") })
        #expect(log == ["a", "b", "c", "late"])
    }
}
