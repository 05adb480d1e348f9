import Testing
import TransducerRoutes

@Suite("Handlers of machines")
struct MachineHandlerTests {
    @Test func `an event with no route is refused: error handlers run once, state unchanged`() {
        var refusals: [String] = []
        let machine = Machine<Stop, Call>(state: .s0) { machine in
            machine.addRoutes(event: .go, transitions: [.s0 => .s1])
            machine.addErrorHandler { event, fromState, toState, _ in
                refusals.append("\(event.map { "\($0)" } ?? "-") \(fromState) \(toState)")
            }
        }
        machine <-! .back
        #expect(refusals == ["back s0 s0"])
        #expect(machine.state == .s0)
        machine <-! .go
        #expect(refusals.count == 1)
    }

    @Test func `the last refusal says why and what would be accepted`() {
        let machine = Machine<Stop, Call>(state: .s0) { machine in
            machine.addRoutes(event: .go, transitions: [.s0 => .s1], condition: { _ in false })
            machine.addRoutes(event: .back, transitions: [.any => .s0])
        }
        #expect(machine.lastRefusal == nil)
        machine <-! .jump
        #expect(
            machine.lastRefusal?.description
                == "no route for jump in s0; accepted: go, back")
        machine <-! .go
        #expect(machine.lastRefusal?.reason == .guardRefused([]))
        #expect(machine.lastRefusal?.accepts == ["back"])
    }

    @Test func `error handlers run by their order, and can be taken back`() {
        var log: [String] = []
        let machine = Machine<Stop, Call>(state: .s0)
        machine.addErrorHandler { _ in log.append("100") }
        let early = machine.addErrorHandler(order: 1) { _ in log.append("1") }
        machine.addErrorHandler { _ in log.append("100 again") }
        machine <-! .go
        #expect(log == ["1", "100", "100 again"])
        early.dispose()
        log = []
        machine <-! .go
        #expect(log == ["100", "100 again"])
    }

    @Test func `handler order with ties: by order, then the more exact, then as added`() {
        var log: [String] = []
        let machine = StateMachine<Stop, Call>(state: .s0) { machine in
            machine.addRoute(.s0 => .s1)
            machine.addHandler(.any => .any, order: 100) { _ in log.append("any") }
            machine.addHandler(.s0 => .s1, order: 255) { _ in log.append("255") }
            machine.addHandler(.s0 => .s1) { _ in log.append("100 a") }
            machine.addHandler(.s0 => .s1) { _ in log.append("100 b") }
            machine.addAnyHandler(.any => .s1) { _ in log.append("any=>1") }
            machine.addHandler(.s0 => .s1, order: 99) { _ in log.append("99") }
        }
        machine <- .s1
        #expect(log == ["99", "100 a", "100 b", "any=>1", "any", "255"])
    }

    @Test func `an event sent by a handler is processed after all handlers of the step`() {
        var log: [String] = []
        let machine = Machine<Stop, Call>(state: .s0) { machine in
            machine.addRoutes(event: .go, transitions: [.s0 => .s1])
            machine.addRoutes(event: .back, transitions: [.s1 => .s2])
            machine.addHandler(event: .go) { [unowned machine] context in
                #expect(machine.tryEvent(.back))
                log.append("first \(machine.state)")
            }
            machine.addHandler(event: .go) { [unowned machine] context in
                log.append("second \(machine.state) \(context.toState)")
            }
            machine.addHandler(event: .back) { log.append("back \($0.toState)") }
        }
        #expect(machine.tryEvent(.go))
        #expect(log == ["first s1", "second s1 s1", "back s2"])
        #expect(machine.state == .s2)
    }

    @Test func `events sent by handlers are processed depth-first and in order`() {
        var log: [String] = []
        let machine = Machine<Stop, Word>(state: .s0) { machine in
            machine.addRoutes(event: .any, transitions: [.any => .any])
            machine.addHandler(event: "start") { [unowned machine] _ in
                machine <-! "a" <-! "b" <-! "c"
            }
            machine.addHandler(event: "a") { [unowned machine] _ in machine <-! "aa" }
            machine.addHandler(event: .any) { log.append($0.event?.description ?? "-") }
        }
        machine <-! "start"
        #expect(log == ["start", "a", "aa", "b", "c"])
    }

    @Test func `a thousand events may follow from one`() {
        var left = 1_000
        let machine = Machine<Stop, Call>(state: .s0) { machine in
            machine.addRoutes(event: .go, transitions: [.s0 => .s1, .s1 => .s0])
            machine.addHandler(event: .go) { [unowned machine] _ in
                if left > 0 {
                    left -= 1
                    machine <-! .go
                }
            }
        }
        #expect(machine.tryEvent(.go))
        #expect(left == 0)
        #expect(machine.state == .s1)
    }

    @Test func `an endless chain of events is refused, state and chains as before`() {
        var refused: [Stop] = []
        var completed = 0
        let machine = StateMachine<Stop, Call>(state: .s3) { machine in
            machine.addRoutes(event: .go, transitions: [.s0 => .s1, .s1 => .s0])
            machine.addRoute(.any => .any)
            machine.addHandler(event: .go) { [unowned machine] _ in machine <-! .go }
            machine.addErrorHandler { [unowned machine] in
                refused.append($0.fromState)
                // A transition requested here is refused too.
                machine <- .s2
            }
            machine.addChainHandler(.s3 => .s0 => .s2) { _ in completed += 1 }
        }
        machine <- .s0
        #expect(!machine.tryEvent(.go))
        #expect(machine.state == .s0)
        #expect(refused == [.s0])
        #expect(machine.lastRefusal?.reason == .tooManyEvents(1_000))
        #expect(
            machine.lastRefusal?.rejection.reason
                == "go in s0 raised more than 1000 events; the state is as before")
        machine <- .s2
        #expect(completed == 1)
    }

    @Test func `an event sent by an error handler is processed after the others`() {
        var log: [String] = []
        let machine = Machine<Stop, Call>(state: .s0) { machine in
            machine.addRoutes(event: .back, transitions: [.any => .s3])
            machine.addErrorHandler { [unowned machine] _ in
                machine <-! .back
                log.append("\(machine.state)")
            }
        }
        #expect(!machine.tryEvent(.go))
        #expect(log == ["s0"])
        #expect(machine.state == .s3)
    }

    @Test func `a refused event of a handler leaves the step as it is`() {
        var refused = 0
        let machine = Machine<Stop, Call>(state: .s0) { machine in
            machine.addRoutes(event: .go, transitions: [.s0 => .s1]) { [unowned machine] _ in
                machine <-! .jump
            }
            machine.addErrorHandler { _ in refused += 1 }
        }
        #expect(machine.tryEvent(.go))
        #expect(machine.state == .s1)
        #expect(refused == 1)
    }

    @Test func `a handler taken back by an earlier one of the same step does not run`() {
        var log: [String] = []
        let machine = Machine<Stop, Call>(state: .s0)
        machine.addRoutes(event: .go, transitions: [.any => .any])
        let group = DisposableGroup()
        machine.addHandler(event: .go, order: 1) { _ in
            log.append("first")
            group.dispose()
        }
        group.add(machine.addHandler(event: .go, order: 2) { _ in log.append("second") })
        machine.addHandler(event: .go, order: 3) { _ in log.append("third") }
        machine <-! .go
        #expect(log == ["first", "third"])
    }

    @Test func `a handler added by a handler runs from the next step on`() {
        var log: [String] = []
        let machine = Machine<Stop, Call>(state: .s0)
        machine.addRoutes(event: .go, transitions: [.any => .any])
        var isFirst = true
        machine.addHandler(event: .go) { [unowned machine] _ in
            guard isFirst else { return }
            isFirst = false
            machine.addHandler(event: .go) { _ in log.append("added") }
        }
        machine <-! .go
        #expect(log == [])
        machine <-! .go
        #expect(log == ["added"])
    }

    @Test func `a condition may ask the machine itself`() {
        let machine = Machine<Stop, Call>(state: .s0)
        machine.addRoutes(event: .back, transitions: [.s0 => .s3])
        machine.addRoutes(
            event: .go, transitions: [.s0 => .s1],
            condition: { [unowned machine] _ in machine.canTryEvent(.back) == .s3 })
        #expect(machine.tryEvent(.go))
    }
}
