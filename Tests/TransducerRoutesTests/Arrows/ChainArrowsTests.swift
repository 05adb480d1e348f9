import Testing
import TransducerRoutes

@Suite("Arrows of chains")
struct ChainArrowsTests {
    @Test func `a chain is written from left to right`() {
        let chain = Stop.s0 => .s1 => .s2 => .s3
        #expect(chain.states == [.some(.s0), .some(.s1), .some(.s2), .some(.s3)])
        #expect(chain.transitions.map(\.description) == ["s0 => s1", "s1 => s2", "s2 => s3"])
    }

    @Test func `a chain can be extended at its end and at its front`() {
        let arrow = Stop.s0 => .s1
        let longer = arrow => .s2 => .any
        #expect(longer.states == [.some(.s0), .some(.s1), .some(.s2), .any])
        let before: TransitionChain<Stop> = .s3 => arrow
        #expect(before.states == [.some(.s3), .some(.s0), .some(.s1)])
        let longBefore: TransitionChain<Stop> = .any => (.s2 => before)
        #expect(longBefore.states == [.any, .some(.s2), .some(.s3), .some(.s0), .some(.s1)])
        let anyFirst: TransitionChain<Stop> = .any => arrow
        #expect(anyFirst.states == [.any, .some(.s0), .some(.s1)])
    }

    @Test func `an arrow or a chain may lead to any state`() {
        let arrow = Stop.s0 => .s1
        #expect((arrow => .any).states == [.some(.s0), .some(.s1), .any])
        #expect((arrow => .any => .any).states == [.some(.s0), .some(.s1), .any, .any])
    }
}
