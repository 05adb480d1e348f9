import Testing
import TransducerRoutes

/// A table in which many routes match. The destination shows which one was taken.
private let manyRoutes = RouteTable<Int16, Int8, Never> { table in
    for number in Int16(0)..<40 {
        table.on(.any, .any => number, when: .named("never \(number)") { _ in false })
        table.on(7, .any => (100 + number), when: .named("never \(number)") { _ in false })
        table.on(.any, number => (200 + number))
        table.on(7, number => (300 + number))
    }
    table.on(7, .any => 1_000)
    table.on(.any, .any => 2_000)
}

extension Int16: StateType {}
extension Int8: EventType {}

@Suite("Precedence of routes")
struct RoutePrecedenceTests {
    // Hashing has a different seed in each process. Each run here is a separate exit test with the
    // same checks.
    @Test func `exact beats any in 100 fresh processes`() async {
        for _ in 0..<100 {
            await #expect(processExitsWith: .success) {
                for number in Int16(0)..<40 {
                    precondition(manyRoutes.go(7, from: number) == 300 + number)
                    precondition(manyRoutes.go(8, from: number) == 200 + number)
                }
                precondition(manyRoutes.go(7, from: 99) == 1_000)
                precondition(manyRoutes.go(8, from: 99) == 2_000)
            }
        }
    }

    @Test func `an exact from-state beats any, whichever was declared first`() {
        let exactLast = StopTable { table in
            table.on(.go, .any => .s3)
            table.on(.go, .s0 => .s1)
        }
        let exactFirst = StopTable { table in
            table.on(.go, .s0 => .s1)
            table.on(.go, .any => .s3)
        }
        for table in [exactLast, exactFirst] {
            #expect(table.go(.go, from: .s0) == .s1)
            #expect(table.go(.go, from: .s1) == .s3)
        }
    }

    @Test func `an exact event beats any, even from any state`() {
        let table = StopTable { table in
            table.on(.any, .s0 => .s1)
            table.on(.go, .any => .s2)
        }
        #expect(table.go(.go, from: .s0) == .s2)
        #expect(table.go(.back, from: .s0) == .s1)
        #expect(table.go(.back, from: .s1) == nil)
    }

    @Test func `an exact to-state beats staying`() {
        let table = StopTable { table in
            table.on(.go, .s0 => .any)
            table.on(.go, .s0 => .s1)
        }
        #expect(table.go(.go, from: .s0) == .s1)
    }

    @Test func `among equals, the one declared first wins`() {
        let table = StopTable { table in
            table.on(.go, .s0 => .s2)
            table.on(.go, .s0 => .s1)
        }
        #expect(table.go(.go, from: .s0) == .s2)
    }

    @Test func `the first whose guard passes wins`() {
        let table = StopTable { table in
            table.on(.go, .s0 => .s1, when: .named("never") { _ in false })
            table.on(.go, .s0 => .s2, when: .named("always") { _ in true })
            table.on(.go, .s0 => .s3)
        }
        #expect(table.go(.go, from: .s0) == .s2)
    }

    @Test func `a refused exact route leaves the event to a less exact one`() {
        let table = StopTable { table in
            table.on(.go, .s0 => .s1, when: .passes { _ in false })
            table.on(.any, .any => .s3)
        }
        #expect(table.go(.go, from: .s0) == .s3)
    }

    @Test func `mappings come after routes, in the order of declaration`() {
        let table = StopTable { table in
            table.map("first") { event, state in event == .back ? nil : .s2 }
            table.map("second") { _, _ in .s3 }
            table.on(.go, .s0 => .s1)
        }
        #expect(table.go(.go, from: .s0) == .s1)
        #expect(table.go(.go, from: .s1) == .s2)
        #expect(table.go(.back, from: .s1) == .s3)
    }

    @Test func `a machine has the same precedence as a table`() {
        let machine = Machine<Stop, Call>(state: .s0) { machine in
            machine.addRoutes(event: .any, transitions: [.any => .s0, .s0 => .s3])
            machine.addRoutes(event: .go, transitions: [.any => .s2, .s0 => .any, .s0 => .s1])
        }
        #expect(machine.canTryEvent(.go) == .s1)
        #expect(machine.canTryEvent(.back) == .s3)
        machine <-! .go
        #expect(machine.canTryEvent(.go) == .s2)
        #expect(machine.canTryEvent(.back) == .s0)
    }
}
