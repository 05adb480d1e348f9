import Testing
import TransducerRoutes

@Suite("Machines in machines")
struct HierarchicalMachineTests {
    private enum Part: StateType { case p0, p1, p2 }
    private enum Whole: StateType {
        case main
        case first(Part)
        case second(Part)
    }

    private typealias WholeMachine = StateMachine<Whole, NoEvent>
    private typealias PartMachine = StateMachine<Part, NoEvent>

    /// Returns a machine whose condition queries two others, and whose handler moves them.
    private func machines() -> (whole: WholeMachine, first: PartMachine, second: PartMachine) {
        let first = PartMachine(state: .p0) { $0.addRoute(.p0 => .p1) }
        let second = PartMachine(state: .p0) { $0.addRoute(.p0 => .p1) }
        let whole = WholeMachine(state: .main) { whole in
            whole.addRoute(
                .any => .any,
                condition: { context in
                    switch (context.fromState, context.toState) {
                    case (.first(let from), .first(let to)): first.hasRoute(from => to)
                    case (.second(let from), .second(let to)): second.hasRoute(from => to)
                    default: false
                    }
                },
                handler: { context in
                    switch context.toState {
                    case .first(let to): first <- to
                    case .second(let to): second <- to
                    case .main: break
                    }
                })
            whole.addRouteMapping { _, fromState, _ -> Whole? in
                switch fromState {
                case .main where first.state == .p0: .first(.p0)
                case .first(.p1) where second.state == .p0: .second(.p0)
                case .second(.p1): .main
                default: nil
                }
            }
        }
        return (whole, first, second)
    }

    @Test func `the parent asks its children for their routes`() {
        let (whole, _, _) = machines()
        #expect(whole.hasRoute(.first(.p0) => .first(.p1)))
        #expect(!whole.hasRoute(.first(.p1) => .first(.p0)))
        #expect(whole.hasRoute(.second(.p0) => .second(.p1)))
        #expect(!whole.hasRoute(.second(.p0) => .second(.p2)))
    }

    @Test func `the parent switches children`() {
        let (whole, _, _) = machines()
        #expect(whole.hasRoute(.main => .first(.p0)))
        #expect(!whole.hasRoute(.main => .second(.p0)))
        #expect(!whole.hasRoute(.first(.p0) => .second(.p0)))
        #expect(whole.hasRoute(.first(.p1) => .second(.p0)))
        #expect(whole.hasRoute(.second(.p1) => .main))
    }

    @Test func `a move inside a child moves that child alone`() {
        let (whole, first, second) = machines()
        whole <- .first(.p0) <- .first(.p1)
        #expect(first.state == .p1)
        #expect(second.state == .p0)
        whole <- .first(.p2) <- .second(.p2)
        #expect(whole.state == .first(.p1))
        whole <- .second(.p0) <- .main
        #expect(whole.state == .second(.p0))
        whole <- .second(.p1) <- .main
        #expect(whole.state == .main)
        #expect(second.state == .p1)
    }
}
