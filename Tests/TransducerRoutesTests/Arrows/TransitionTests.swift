import Testing
import TransducerRoutes

@Suite("Transitions")
struct TransitionTests {
    @Test func `every initializer makes the same arrow as the operator`() {
        #expect(Transition<Stop>(fromState: .s0, toState: .s1) == (.s0 => .s1))
        #expect(Transition<Stop>(fromState: .s0, toState: .any) == (.s0 => .any))
        #expect(Transition<Stop>(fromState: .any, toState: .s1) == (.any => .s1))
        #expect(
            Transition<Stop>(fromState: .some(.s0), toState: .some(.s1)) == (.s0 => .s1))
    }

    @Test func `any on a side matches whatever is there`() {
        let leave: Transition<Stop> = .s0 => .any
        #expect(leave.matches(from: .s0, to: .s0))
        #expect(leave.matches(from: .s0, to: .s3))
        #expect(!leave.matches(from: .s1, to: .s3))
        let enter: Transition<Stop> = .any => .s1
        #expect(enter.matches(from: .s1, to: .s1))
        #expect(!enter.matches(from: .s1, to: .s0))
    }

    @Test func `an arrow reads as it is written`() {
        let arrow: Transition<Stop> = .s0 => .any
        #expect(arrow.description == "s0 => any")
        #expect((Stop.s0 => .s1 => .s2).description == "s0 => s1 => s2")
    }
}

@Suite("Sets of transitions")
struct TransitionSetTests {
    @Test func `a state named twice counts once`() {
        let set: TransitionSet<Stop> = [.s0, .s0, .s1] => [.s2, .s2]
        #expect(set.transitions.map(\.description) == ["s0 => s2", "s1 => s2"])
    }

    @Test func `an empty list makes no arrow`() {
        let set: TransitionSet<Stop> = [] => .s1
        #expect(set.transitions.isEmpty)
        #expect(set.hull == (.any => .any))
    }

    @Test func `the hull is the narrowest arrow around all of them`() {
        let left: TransitionSet<Stop> = [.s0, .s1] => .s2
        let right: TransitionSet<Stop> = .s0 => [.s1, .s2]
        #expect(left.hull == (.any => .s2))
        #expect(right.hull == (.s0 => .any))
        #expect(TransitionSet<Stop>(.s0 => .s1).hull == (.s0 => .s1))
    }
}

@Suite("Routes and chains of them")
struct RouteTests {
    @Test func `a route is an arrow with a condition`() {
        let free = Route<Stop, NoEvent>(transition: .s0 => .s1, condition: nil)
        #expect(free.transition == (.s0 => .s1))
        #expect(free.condition == nil)
        let bound = Route<Stop, NoEvent>(transition: .s1 => .s2, condition: { _ in false })
        #expect(bound.condition?((nil, .s1, .s2, nil)) == false)
    }

    @Test func `several arrows may share a condition`() {
        let route = Route<Stop, NoEvent>(
            transitions: [.s0, .s1] => .s2, condition: { $0.fromState == .s1 })
        #expect(route.transitions.transitions.count == 2)
        #expect(route.condition?((nil, .s1, .s2, nil)) == true)
    }

    @Test func `a chain of routes has one for each arrow`() {
        let chain = RouteChain<Stop, NoEvent>(
            transitionChain: .s0 => .s1 => .s2, condition: { _ in true })
        #expect(chain.routes.map(\.transition.description) == ["s0 => s1", "s1 => s2"])
        #expect(chain.routes.allSatisfy { $0.condition != nil })
        #expect(RouteChain<Stop, NoEvent>(routes: []).routes.isEmpty)
    }

    @Test func `a chain of one arrow has two states`() {
        let chain = TransitionChain<Stop>(transition: .s0 => .s1)
        #expect(chain.states == [.some(.s0), .some(.s1)])
        #expect(TransitionChain<Stop>(states: [.any]).transitions.isEmpty)
        #expect(TransitionChain<Stop>(states: []).transitions.isEmpty)
    }
}
