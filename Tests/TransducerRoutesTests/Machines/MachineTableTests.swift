import Testing

@testable import TransducerRoutes

@Suite("Inside of machines")
struct MachineTableTests {
    private func route(_ transition: Transition<Stop>) -> Route<Stop, Call> {
        Route(transition: transition, condition: nil)
    }

    @Test func `registrations added together have one id and end together`() {
        var registry = MachineRegistry<Stop, Call>()
        let first = registry.add(
            .some(.go), [route(.s0 => .s1), route(.s1 => .s2)], order: 100, handler: { _ in })
        let second = registry.add(mapping: { _, _, _ in nil }, order: 100, handler: { _ in })
        let third = registry.add(stateMapping: { _, _ in nil }, order: 100, handler: { _ in })
        let fourth = registry.add(errorHandler: { _ in }, order: 100)
        #expect(Set([first, second, third, fourth]) == registry.alive)
        #expect(registry.routes.count == 2)
        #expect(registry.handlers.count == 3)
        for id in [first, first, second, third, fourth] { registry.remove(id) }
        #expect(registry.alive.isEmpty)
        #expect(registry.routes.isEmpty && registry.handlers.isEmpty)
        #expect(registry.mappings.isEmpty && registry.stateMappings.isEmpty)
        #expect(registry.errorHandlers.isEmpty)
    }

    @Test func `a table stays as it was when the machine's registrations change`() {
        let machine = StateMachine<Stop, Call>(state: .s0)
        let route = machine.addRoute(.s0 => .s1)
        let table = machine.table()
        #expect(machine.table() === table)
        route.dispose()
        #expect(machine.table() !== table)
        #expect(table.index.routes.count == 1)
        #expect(machine.table().index.routes.isEmpty)
    }

    @Test func `the answer of a condition is cached per destination of an attempt`() {
        var asked: [Stop] = []
        let box = ConditionBox<Stop, Call> { context in
            asked.append(context.toState)
            return context.toState == .s1
        }
        var rules = MachineRules<Stop, Call>(
            table: MachineTable(MachineRegistry()), event: .go, from: .s0, userInfo: nil)
        let answers = [Stop.s1, .s2, .s1, .s2].map { rules.passes(box, to: $0) }
        #expect(answers == [true, false, true, false])
        #expect(asked == [.s1, .s2])
        let isFree = rules.passes(nil as ConditionBox<Stop, Call>?, to: .s3)
        #expect(isFree)
    }

    @Test func `a refusal has the names of the accepted events`() {
        var registry = MachineRegistry<Stop, Word>()
        _ = registry.add(
            .some("go"), [Route(transition: .s0 => .s1, condition: nil)],
            order: 100, handler: nil)
        _ = registry.add(
            .some("go"), [Route(transition: .any => .s2, condition: nil)],
            order: 100, handler: nil)
        let refusal = MachineTable(registry).refusal(
            of: MachineRequest.state(.s3, userInfo: 1), in: .s0, .noRoute)
        #expect(refusal.description == "no route for s0 => s3; accepted: go")
    }

    @Test func `a condition that changes the machine doesn't disturb the attempt`() {
        var log: [String] = []
        let machine = StateMachine<Stop, Call>(state: .s0)
        var added: [any Disposable] = []
        machine.addRoutes(
            event: .go, transitions: [.s0 => .s1],
            condition: { [unowned machine] _ in
                added.append(
                    machine.addAnyHandler(.any => .any, order: 0) { _ in
                        log.append("added")
                    })
                return true
            }, handler: { _ in log.append("own") })
        machine.addAnyHandler(.any => .any) { _ in log.append("any") }
        machine <-! .go
        #expect(log == ["own", "any"])
        machine.addRoutes(event: .go, transitions: [.s1 => .s0])
        machine <-! .go
        #expect(log == ["own", "any", "added", "any"])
    }
}
