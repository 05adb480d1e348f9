import Testing
import TransducerRoutes

@Suite("State machines")
struct StateMachineTests {
    /// Returns all arrows of a machine as texts like `01`.
    private func arrows<E>(of machine: StateMachine<Stop, E>) -> [String] {
        Stop.allCases.flatMap { from in
            Stop.allCases.filter { machine.hasRoute(from => $0) }.map { "\(from)>\($0)" }
        }
    }

    @Test func `the session of the arrow-style readme`() {
        var log: [String] = []
        let machine = StateMachine<Stop, NoEvent>(state: .s0) { machine in
            machine.addRoute(.s0 => .s1)
            machine.addRoute(.any => .s2) { context in
                log.append("any => 2, msg=\(context.userInfo ?? "-")")
            }
            machine.addRoute(.s2 => .any) { context in
                log.append("2 => any, msg=\(context.userInfo ?? "-")")
            }
            machine.addHandler(.s0 => .s1) { context in log.append("0 => 1") }
            machine.addErrorHandler { event, fromState, toState, userInfo in
                log.append("error \(fromState) => \(toState)")
            }
        }
        machine <- .s1
        #expect(machine.state == .s1)
        machine <- (.s2, "Hello")
        #expect(machine.state == .s2)
        machine <- (.s1, "Bye")
        #expect(machine.state == .s1)
        machine <- .s0
        #expect(machine.state == .s1)
        #expect(
            log == [
                "0 => 1", "any => 2, msg=Hello", "2 => any, msg=Bye", "error s1 => s0",
            ])
    }

    @Test func `a machine without routes has no transitions`() {
        let machine = StateMachine<Stop, NoEvent>(state: .s0)
        #expect(!machine.tryState(.s1))
        #expect(machine.lastRefusal?.toState == .s1)
        #expect(machine.state == .s0)
        machine.addRoute(.s0 => .s1)
        #expect(machine.canTryState(.s1))
        #expect(machine.tryState(.s1))
    }

    @Test func `exact, from any, to any and both`() {
        let exact = StateMachine<Stop, NoEvent>(state: .s0) { $0.addRoute(.s0 => .s1) }
        #expect(arrows(of: exact) == ["s0>s1"])
        let same = StateMachine<Stop, NoEvent>(state: .s0) { $0.addRoute(.s0 => .s0) }
        #expect(arrows(of: same) == ["s0>s0"])
        let from = StateMachine<Stop, NoEvent>(state: .s0) { $0.addRoute(.any => .s1) }
        #expect(arrows(of: from) == ["s0>s1", "s1>s1", "s2>s1", "s3>s1"])
        let to = StateMachine<Stop, NoEvent>(state: .s0) { $0.addRoute(.s1 => .any) }
        #expect(arrows(of: to) == ["s1>s0", "s1>s1", "s1>s2", "s1>s3"])
        let both = StateMachine<Stop, NoEvent>(state: .s0) { $0.addRoute(.any => .any) }
        #expect(arrows(of: both).count == 16)
        #expect(!both.hasRoute(.any => .s0))
        #expect(!both.hasRoute(.s0 => .any))
    }

    @Test func `array × array gives exactly the product, for machines`() {
        let machine = StateMachine<Stop, NoEvent>(state: .s0) { machine in
            machine.addRoute([.s0, .s1] => [.s2, .s3])
        }
        #expect(arrows(of: machine) == ["s0>s2", "s0>s3", "s1>s2", "s1>s3"])
        let left = StateMachine<Stop, NoEvent>(state: .s0) { $0.addRoute([.s0, .s1] => .s2) }
        #expect(arrows(of: left) == ["s0>s2", "s1>s2"])
        let right = StateMachine<Stop, NoEvent>(state: .s0) { $0.addRoute(.s0 => [.s1, .s2]) }
        #expect(arrows(of: right) == ["s0>s1", "s0>s2"])
    }

    @Test func `a condition false, then true`() {
        var isOpen = false
        let machine = StateMachine<Stop, NoEvent>(state: .s0) { machine in
            machine.addRoute(.s0 => .s1, condition: { _ in isOpen })
        }
        #expect(!machine.hasRoute(.s0 => .s1))
        #expect(!machine.tryState(.s1))
        isOpen = true
        #expect(machine.tryState(.s1))
    }

    @Test func `0=>any except 2, for machines`() {
        let machine = StateMachine<Stop, NoEvent>(state: .s0) { machine in
            machine.addRoute(.s0 => .any, condition: { $0.toState != .s2 })
        }
        #expect(arrows(of: machine) == ["s0>s0", "s0>s1", "s0>s3"])
    }

    @Test func `a guarded handler beside an unguarded route, for machines`() {
        var isLoud = false
        var count = 0
        let machine = StateMachine<Stop, NoEvent>(state: .s0) { machine in
            machine.addRoute(.s0 => .s1)
            machine.addRoute(.s0 => .s1, condition: { _ in isLoud }) { _ in count += 1 }
            machine.addRoute(.s1 => .s0)
        }
        machine <- .s1
        #expect(machine.state == .s1)
        #expect(count == 0)
        isLoud = true
        machine <- .s0 <- .s1
        #expect(count == 1)
    }

    @Test func `a shared condition is counted once per attempt`() {
        var asked = 0
        var completed = 0
        let machine = StateMachine<Stop, NoEvent>(state: .s0) { machine in
            machine.addRouteChain(
                .s0 => .s1 => .s2,
                condition: { _ in
                    asked += 1
                    return true
                }, handler: { _ in completed += 1 })
        }
        machine <- .s1
        #expect(asked == 1)
        machine <- .s2
        #expect(asked == 2)
        #expect(completed == 1)
    }

    @Test func `routes of events allow destinations too, and their handlers don't run`() {
        var count = 0
        let machine = StateMachine<Stop, Call>(state: .s0) { machine in
            machine.addRoutes(event: .go, transitions: [.s0 => .s1, .s1 => .s2]) { _ in
                count += 1
            }
            machine.addHandler(event: .any) { _ in count += 1 }
        }
        machine <- .s1 <- .s2 <- .s3
        #expect(machine.state == .s2)
        #expect(count == 0)
    }

    @Test func `a stay route of an event allows no other destination`() {
        let machine = StateMachine<Stop, Call>(state: .s0) { machine in
            machine.addRoutes(event: .go, transitions: [.any => .any])
        }
        #expect(machine.canTryState(.s0))
        #expect(!machine.canTryState(.s1))
    }

    @Test func `an any-handler runs for both kinds of change, others for one`() {
        var log: [String] = []
        let machine = StateMachine<Stop, Call>(state: .s0) { machine in
            machine.addRoutes(event: .go, transitions: [.s0 => .s1])
            machine.addRoute(.s0 => .s1)
            machine.addRoute(.s1 => .s0)
            machine.addAnyHandler(.s0 => .s1) { _ in log.append("any") }
            machine.addHandler(.s0 => .s1) { _ in log.append("move") }
            machine.addHandler(event: .go) { _ in log.append("event") }
        }
        machine <-! .go
        #expect(log == ["event", "any"])
        log = []
        machine <- .s0 <- .s1
        #expect(log == ["any", "move"])
    }

    @Test func `state mappings add up`() {
        var log: [String] = []
        let machine = StateMachine<Stop, NoEvent>(state: .s0) { machine in
            machine.addStateRouteMapping { fromState, _ in fromState == .s0 ? [.s1] : nil }
            machine.addStateRouteMapping(
                { fromState, _ in fromState == .s0 ? [.s2, .s1] : nil },
                handler: { log.append("\($0.toState)") })
        }
        #expect(arrows(of: machine) == ["s0>s1", "s0>s2"])
        machine <- .s1
        #expect(log == ["s1"])
    }

    @Test func `a route mapping without an event allows the destination it names`() {
        let machine = StateMachine<Stop, NoEvent>(state: .s0) { machine in
            machine.addStateRouteMapping { fromState, _ in fromState == .s0 ? [.s1, .s2] : nil }
            machine.addRouteMapping { event, fromState, _ -> Stop? in
                event == nil && fromState == .s1 ? .s0 : nil
            }
        }
        #expect(arrows(of: machine) == ["s0>s1", "s0>s2", "s1>s0"])
    }

    @Test func `states may carry values`() {
        let machine = StateMachine<Level, Add>(state: .at(0)) { machine in
            machine.addRoute(.at(0) => .at(1))
            machine.addStateRouteMapping { fromState, _ in
                if case .at(let height) = fromState { [.at(height + 10)] } else { nil }
            }
        }
        machine <- .at(1) <- .at(11) <- .at(12)
        #expect(machine.state == .at(11))
    }

    @Test func `configure adds to what is there`() {
        let machine = StateMachine<Stop, NoEvent>(state: .s0) { $0.addRoute(.s0 => .s1) }
        machine.configure { $0.addRoute(.s1 => .s2) }
        machine <- .s1 <- .s2
        #expect(machine.state == .s2)
    }

    @Test func `a machine may be used as its table`() {
        let machine: Machine<Stop, Call> = StateMachine(state: .s0)
        machine.addRoutes(event: .go, transitions: [.s0 => .s1])
        machine.configure { $0.addRoutes(event: .go, transitions: [.s1 => .s2]) }
        machine <-! .go <-! .go
        #expect(machine.state == .s2)
    }
}
