import Testing
import TransducerRoutes

@Suite("Operators of machines")
struct MachineOperatorsTests {
    private func machine() -> StateMachine<Stop, Call> {
        StateMachine(state: .s0) { machine in
            machine.addRoute(.any => .any, condition: { $0.userInfo as? String != "no" })
            machine.addRoutes(event: .go, transitions: [.any => .s3])
        }
    }

    @Test func `states may be requested in a row, and refused ones are skipped`() {
        let machine = machine()
        machine <- .s1 <- (.s2, "no") <- .s0 <- (.s1, nil)
        #expect(machine.state == .s1)
    }

    @Test func `events may be sent in a row, and the machine is what is returned`() {
        let machine = machine()
        let same = machine <-! .back <-! (.go, "please")
        #expect(same === machine)
        #expect(machine.state == .s3)
    }
}
