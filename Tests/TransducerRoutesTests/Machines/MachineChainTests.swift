import Testing
import TransducerRoutes

@Suite("Chains of machines")
struct MachineChainTests {
    @Test func `chain completed once, twice after a reset`() {
        var completed = 0
        let machine = StateMachine<Stop, NoEvent>(state: .s0) { machine in
            machine.addRouteChain(.s0 => .s1 => .s2) { _ in completed += 1 }
        }
        machine <- .s1 <- .s2
        #expect(completed == 1)
        machine.addRoute(.s2 => .s0)
        machine <- .s0 <- .s1 <- .s2
        #expect(completed == 2)
    }

    @Test func `a chain is not completed by skipping a step`() {
        var completed = 0
        let machine = StateMachine<Stop, NoEvent>(state: .s0) { machine in
            machine.addRouteChain(.s0 => .s1 => .s2) { _ in completed += 1 }
            machine.addRoute(.s0 => .s2)
        }
        machine <- .s2
        #expect(machine.state == .s2)
        #expect(completed == 0)
    }

    @Test func `chain broken by a successful detour`() {
        var completed = 0
        let machine = StateMachine<Stop, NoEvent>(state: .s0) { machine in
            machine.addRouteChain(.s0 => .s1 => .s2) { _ in completed += 1 }
            machine.addRoute(.s1 => .s3)
            machine.addRoute(.s3 => .s1)
        }
        machine <- .s1 <- .s3 <- .s1 <- .s2
        #expect(machine.state == .s2)
        #expect(completed == 0)
    }

    @Test func `chain not broken by a refused attempt`() {
        var completed = 0
        let machine = StateMachine<Stop, NoEvent>(state: .s0) { machine in
            machine.addRouteChain(.s0 => .s1 => .s2) { _ in completed += 1 }
        }
        machine <- .s1 <- .s3 <- .s2
        #expect(completed == 1)
    }

    @Test func `chain 0,0,1,0,2 not completed by 0,0,0,0,2, for machines`() {
        var completed = 0
        var broken = 0
        let machine = StateMachine<Stop, NoEvent>(state: .s0) { machine in
            machine.addRoute(.any => .any)
            let chain = Stop.s0 => .s0 => .s1 => .s0 => .s2
            machine.addChainHandler(chain) { _ in completed += 1 }
            machine.addChainErrorHandler(chain) { _ in broken += 1 }
        }
        machine <- .s0 <- .s0 <- .s0 <- .s2
        #expect(completed == 0)
        #expect(broken == 1)
        machine <- .s0 <- .s0 <- .s1 <- .s0 <- .s2
        #expect(completed == 1)
    }

    @Test func `a chain may return to a state`() {
        var completed = 0
        let machine = StateMachine<Stop, NoEvent>(state: .s0) { machine in
            machine.addRoute(.any => .any)
            machine.addRouteChain(.s0 => .s1 => .s2 => .s0 => .s1 => .s2) { _ in
                completed += 1
            }
        }
        machine <- .s1 <- .s2 <- .s0 <- .s1 <- .s0 <- .s2
        #expect(completed == 0)
        machine <- .s0 <- .s1 <- .s2 <- .s0 <- .s1 <- .s2
        #expect(completed == 1)
    }

    @Test func `event-driven transitions break a chain`() {
        var completed = 0
        var broken = 0
        let machine = StateMachine<Stop, Call>(state: .s0) { machine in
            machine.addRouteChain(.s0 => .s1 => .s2) { _ in completed += 1 }
            machine.addChainErrorHandler(.s0 => .s1 => .s2) { _ in broken += 1 }
            machine.addRoutes(event: .jump, transitions: [.s1 => .s3, .s3 => .s1])
        }
        machine <- .s1
        machine <-! .jump <-! .jump
        machine <- .s2
        #expect(machine.state == .s2)
        #expect(completed == 0)
        #expect(broken == 1)
    }

    @Test func `event-driven transitions walk a chain`() {
        var completed = 0
        let machine = StateMachine<Stop, Call>(state: .s0) { machine in
            machine.addRouteChain(.s0 => .s1 => .s2) { _ in completed += 1 }
            machine.addRoutes(event: .go, transitions: [.s1 => .s2])
        }
        machine <- .s1
        machine <-! .go
        #expect(completed == 1)
    }

    @Test func `broken is reported once until it restarts`() {
        var broken = 0
        let machine = StateMachine<Stop, NoEvent>(state: .s0) { machine in
            machine.addRoute(.any => .any)
            machine.addChainErrorHandler(.s0 => .s1 => .s2) { _ in broken += 1 }
        }
        machine <- .s1
        #expect(broken == 0)
        machine <- .s0
        #expect(broken == 1)
        machine <- .s2 <- .s3 <- .s0
        #expect(broken == 1)
        machine <- .s1 <- .s3
        #expect(broken == 2)
    }

    @Test func `conditions apply to each step of a chain`() {
        var isOpen = false
        var completed = 0
        let machine = StateMachine<Stop, NoEvent>(state: .s0) { machine in
            machine.addRoute(.any => .any)
            machine.addRouteChain(.s0 => .s1 => .s2, condition: { _ in isOpen }) { _ in
                completed += 1
            }
        }
        machine <- .s1 <- .s2
        #expect(completed == 0)
        isOpen = true
        machine <- .s0 <- .s1 <- .s2
        #expect(completed == 1)
    }

    @Test func `a chain of routes may have lists as its steps`() {
        var completed = 0
        let machine = StateMachine<Stop, NoEvent>(state: .s0) { machine in
            let chain = RouteChain<Stop, NoEvent>(routes: [.s0 => [.s1, .s2], [.s1, .s2] => .s3])
            machine.addRouteChain(chain) { _ in completed += 1 }
            machine.addChainErrorHandler(chain) { _ in completed -= 100 }
            machine.addRoute(.s3 => .s0)
        }
        machine <- .s1 <- .s3 <- .s0 <- .s2 <- .s3
        #expect(completed == 2)
    }

    @Test func `handlers of chains run after others, unless an order says otherwise`() {
        var log: [String] = []
        let machine = StateMachine<Stop, NoEvent>(state: .s0) { machine in
            let chain = TransitionChain<Stop>(transition: .s0 => .s1)
            machine.addChainHandler(chain) { _ in log.append("chain") }
            machine.addChainHandler(chain, order: 100) { _ in log.append("chain 100") }
            machine.addChainHandler(chain, order: 0) { _ in log.append("chain 0") }
            machine.addRoute(.s0 => .s1)
            machine.addHandler(.any => .any) { _ in log.append("handler") }
            machine.addHandler(.any => .any, order: 255) { _ in log.append("last") }
        }
        machine <- .s1
        #expect(log == ["chain 0", "handler", "chain 100", "chain", "last"])
    }

    @Test func `a chain that is taken back takes its routes with it`() {
        var completed = 0
        let machine = StateMachine<Stop, NoEvent>(state: .s0)
        let chain = machine.addRouteChain(.s0 => .s1 => .s2) { _ in completed += 1 }
        #expect(machine.hasRoute(.s0 => .s1))
        chain.dispose()
        #expect(!machine.hasRoute(.s0 => .s1))
        machine.addRoute(.any => .any)
        machine <- .s1 <- .s2
        #expect(completed == 0)
    }

    @Test func `keys in a row open the lock only without a wrong one between them`() {
        enum Pad: StateType { case none, k2, k3, k4, k5, k6, k7 }
        var isOpen = false
        let machine = StateMachine<Pad, NoEvent>(state: .none) { machine in
            machine.addRoute(.any => .any)
            machine.addRouteChain(.k2 => .k3 => .k5 => .k7) { _ in isOpen = true }
        }
        machine <- .k2 <- .k3 <- .k4 <- .k5 <- .k6 <- .k7
        #expect(!isOpen)
        machine <- .k2 <- .k3 <- .k5 <- .k7
        #expect(isOpen)
    }
}
