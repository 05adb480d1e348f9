import Testing
import TransducerRoutes

@Suite("Machines")
struct MachineTests {
    private func walker() -> Machine<Stop, Call> {
        Machine(state: .s0) { machine in
            machine.addRoutes(event: .go, transitions: [.s0 => .s1, .s1 => .s2])
        }
    }

    @Test func `an event leads along its route`() {
        let machine = walker()
        #expect(machine.state == .s0)
        machine <-! .go
        #expect(machine.state == .s1)
        #expect(machine.tryEvent(.go))
        #expect(machine.state == .s2)
        #expect(!machine.tryEvent(.go))
        #expect(machine.state == .s2)
    }

    @Test func `several events may be sent in a row`() {
        let machine = Machine<Stop, Call>(state: .s0)
        machine.configure {
            $0.addRoutes(event: .go, transitions: [.s0 => .s1])
            $0.addRoutes(event: .back, transitions: [.s1 => .s2])
        }
        machine <-! .go <-! .back
        #expect(machine.state == .s2)
    }

    @Test func `can answers the destination and changes nothing`() {
        let machine = walker()
        var ran = 0
        machine.addHandler(event: .go) { _ in ran += 1 }
        #expect(machine.canTryEvent(.go) == .s1)
        #expect(machine.canTryEvent(.back) == nil)
        #expect(machine.state == .s0)
        #expect(ran == 0)
    }

    @Test func `texts are events`() {
        let machine = Machine<Stop, Word>(state: .s0)
        machine.addRoutes(event: "run", transitions: [.s0 => .s1])
        machine <-! "run"
        #expect(machine.state == .s1)
    }

    @Test func `any=>s accepts an event in every state`() {
        let machine = Machine<Stop, Call>(state: .s2) { machine in
            machine.addRoutes(event: .go, transitions: [.any => .s0])
        }
        machine <-! .go
        #expect(machine.state == .s0)
        #expect(machine.tryEvent(.go))
    }

    @Test func `a list of states has a route from each`() {
        let machine = Machine<Stop, Call>(state: .s2) { machine in
            machine.addRoutes(event: .go, routes: [[.s1, .s2] => .s3])
        }
        #expect(machine.hasRoute(event: .go, transition: .s1 => .s3))
        #expect(!machine.hasRoute(event: .go, transition: .s0 => .s3))
        machine <-! .go
        #expect(machine.state == .s3)
    }

    @Test func `hasRoute asks about two states, wherever the machine is`() {
        let machine = walker()
        #expect(machine.hasRoute(event: .go, transition: .s1 => .s2))
        #expect(machine.hasRoute(event: .go, fromState: .s0, toState: .s1))
        #expect(!machine.hasRoute(event: .back, transition: .s0 => .s1))
        #expect(!machine.hasRoute(event: .go, transition: .any => .s1))
        #expect(!machine.hasRoute(event: .go, transition: .s0 => .any))
    }

    @Test func `a route of any event has a route for each`() {
        let machine = Machine<Stop, Call>(state: .s0) { machine in
            machine.addRoutes(event: .any, transitions: [.s0 => .s1])
        }
        #expect(machine.hasRoute(event: .go, transition: .s0 => .s1))
        #expect(machine.hasRoute(event: .back, transition: .s0 => .s1))
        #expect(!machine.hasRoute(event: .back, transition: .s0 => .s2))
    }

    @Test func `userInfo reaches conditions, mappings and handlers`() {
        var seen: [String] = []
        let machine = Machine<Stop, Call>(state: .s0) { machine in
            machine.addRoutes(
                event: .go, transitions: [.s0 => .s1],
                condition: { $0.userInfo as? String == "please" },
                handler: { seen.append("\($0.userInfo ?? "-")") })
            machine.addRouteMapping { _, _, userInfo in userInfo as? Stop }
        }
        machine <-! .go
        #expect(machine.state == .s0)
        machine <-! (.go, "please")
        #expect(machine.state == .s1)
        machine <-! (.back, Stop.s3)
        #expect(machine.state == .s3)
        #expect(seen == ["please"])
        #expect(machine.canTryEvent(.jump, userInfo: Stop.s2) == .s2)
        #expect(machine.hasRoute(event: .go, transition: .s0 => .s1, userInfo: "please"))
        #expect(!machine.hasRoute(event: .go, transition: .s0 => .s1))
    }

    @Test func `a stay route leaves the state unchanged and runs its handler`() {
        var count = 0
        let machine = Machine<Stop, Call>(state: .s0) { machine in
            machine.addRoutes(event: .go, transitions: [.any => .any]) { _ in count += 1 }
        }
        #expect(machine.tryEvent(.go))
        #expect(machine.state == .s0)
        #expect(count == 1)
    }

    @Test func `a handler added with a route runs only for its own route`() {
        var log: [String] = []
        let machine = Machine<Stop, Call>(state: .s0) { machine in
            machine.addRoutes(event: .go, transitions: [.s0 => .s1]) { _ in log.append("0=>1") }
            machine.addRoutes(event: .go, transitions: [.s1 => .s2]) { _ in log.append("1=>2") }
        }
        machine <-! .go
        #expect(log == ["0=>1"])
        machine <-! .go
        #expect(log == ["0=>1", "1=>2"])
    }

    @Test func `a handler added with any-event routes runs only for these`() {
        var log: [String] = []
        let machine = Machine<Stop, Call>(state: .s0) { machine in
            machine.addRoutes(event: .any, transitions: [.any => .s1]) { _ in log.append("any") }
            machine.addRoutes(event: .any, routes: [[.s1] => .s2]) { _ in log.append("list") }
            machine.addRoutes(event: .go, routes: [[.s2] => .s3]) { _ in log.append("go") }
        }
        machine <-! .go <-! .go <-! .go
        #expect(log == ["any", "list", "go"])
    }

    @Test func `the condition of a route is counted once per attempt`() {
        var asked = 0
        let machine = Machine<Stop, Call>(state: .s0) { machine in
            machine.addRoutes(
                event: .go, transitions: [.s0 => .s1],
                condition: { _ in
                    asked += 1
                    return true
                }, handler: { _ in })
        }
        machine <-! .go
        #expect(asked == 1)
    }

    @Test func `a computed destination sees state and event data`() {
        var log: [String] = []
        let machine = Machine<Level, Add>(state: .at(1)) { machine in
            machine.addRouteMapping { event, fromState, _ -> Level? in
                guard case .add(let amount)? = event, case .at(let height) = fromState else {
                    return nil
                }
                return amount == 0 ? nil : .at(height + amount)
            }
            machine.addHandler(event: .any) { event, fromState, toState, _ in
                log.append("\(fromState) \(toState)")
            }
        }
        machine <-! .add(5)
        #expect(machine.state == .at(6))
        machine <-! .add(0)
        #expect(machine.state == .at(6))
        machine <-! .reset
        #expect(machine.state == .at(6))
        #expect(log == ["at(1) at(6)"])
    }

    @Test func `a mapping is asked once, and its handler runs only when it took the event`() {
        var asked = 0
        var log: [String] = []
        let machine = Machine<Stop, Call>(state: .s0) { machine in
            machine.addRouteMapping(
                { event, _, _ in
                    asked += 1
                    return event == .go ? .s1 : nil
                }, order: 50, handler: { _ in log.append("first") })
            machine.addRouteMapping(
                { _, _, _ in .s1 }, handler: { _ in log.append("second") })
        }
        machine <-! .go
        #expect(asked == 1)
        machine <-! .back
        #expect(asked == 2)
        #expect(log == ["first", "second"])
    }
}
