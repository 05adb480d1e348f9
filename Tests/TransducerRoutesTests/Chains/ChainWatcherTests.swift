import OrderedJSON
import Testing
import TransducerRoutes

@Suite("Chain watchers")
struct ChainWatcherTests {
    typealias Outcome = ChainPosition.Outcome

    /// Returns the watcher's results for a walk from state to state.
    private func outcomes(
        of chain: TransitionChain<Stop>, walking states: [Stop]
    ) -> [Outcome] {
        var watcher = ChainWatcher(chain)
        return zip(states, states.dropFirst()).map { watcher.observe(from: $0, to: $1) }
    }

    @Test func `a chain is completed once when walked`() {
        #expect(
            outcomes(of: .s0 => .s1 => .s2, walking: [.s0, .s1, .s2, .s3])
                == [.advanced, .completed, .none])
    }

    @Test func `a chain is completed twice after a reset`() {
        #expect(
            outcomes(of: .s0 => .s1 => .s2, walking: [.s0, .s1, .s2, .s0, .s1, .s2])
                == [.advanced, .completed, .none, .advanced, .completed])
    }

    @Test func `a chain is broken by a successful detour, once until it restarts`() {
        #expect(
            outcomes(of: .s0 => .s1 => .s2, walking: [.s0, .s1, .s3, .s1, .s2, .s0, .s1, .s2])
                == [.advanced, .broken, .none, .none, .none, .advanced, .completed])
    }

    @Test func `a chain is not broken by a refused attempt`() throws {
        let table = StopTable { $0.move([.s0 => .s1, .s1 => .s2]) }
        var watcher = ChainWatcher(Stop.s0 => .s1 => .s2)
        var state = Stop.s0
        #expect(watcher.observe(try table.move(&state, to: .s1)) == .advanced)
        #expect(throws: RouteRefusal<Stop, Call>.self) { try table.move(&state, to: .s3) }
        #expect(watcher.observe(try table.move(&state, to: .s2)) == .completed)
    }

    @Test func `an answered refusal is no step of a chain either`() throws {
        let table = StopTable { table in
            table.on(.go, [.s0 => .s1, .s1 => .s2])
            table.refused { _ in .output("no") }
        }
        var watcher = ChainWatcher(Stop.s0 => .s1 => .s2)
        var state = Stop.s0
        #expect(watcher.observe(try table.step(&state, event: .go)) == .advanced)
        #expect(watcher.observe(try table.step(&state, event: .jump)) == .none)
        #expect(watcher.position.isUnderway)
        #expect(watcher.observe(try table.step(&state, event: .go)) == .completed)
    }

    @Test func `chain 0,0,1,0,2 is not completed by 0,0,0,0,2`() {
        let chain = Stop.s0 => .s0 => .s1 => .s0 => .s2
        #expect(
            outcomes(of: chain, walking: [.s0, .s0, .s0, .s0, .s2])
                == [.advanced, .advanced, .advanced, .broken])
        #expect(
            outcomes(of: chain, walking: [.s0, .s0, .s1, .s0, .s2])
                == [.advanced, .advanced, .advanced, .completed])
    }

    @Test func `a chain that begins again in the middle of itself is still completed`() {
        // The first two steps are walked three times; the last walk continues.
        #expect(
            outcomes(of: .s0 => .s0 => .s1, walking: [.s0, .s0, .s0, .s0, .s1])
                == [.advanced, .advanced, .advanced, .completed])
        #expect(
            outcomes(
                of: .s0 => .s1 => .s0 => .s2, walking: [.s0, .s1, .s0, .s1, .s0, .s2])
                == [.advanced, .advanced, .advanced, .advanced, .completed])
    }

    @Test func `any stands for every state of a chain`() {
        #expect(
            outcomes(of: .s0 => .any => .s2, walking: [.s0, .s3, .s2, .s1])
                == [.advanced, .completed, .none])
    }

    @Test func `events and moves count alike`() throws {
        let table = StopTable { table in
            table.move(.s0 => .s1)
            table.on(.go, .s1 => .s2)
        }
        var watcher = ChainWatcher(Stop.s0 => .s1 => .s2)
        var state = Stop.s0
        #expect(watcher.observe(try table.move(&state, to: .s1)) == .advanced)
        #expect(watcher.observe(try table.step(&state, event: .go)) == .completed)
    }

    @Test func `a chain without arrows is never completed`() {
        #expect(
            outcomes(of: TransitionChain(states: [.some(.s0)]), walking: [.s0, .s0, .s1])
                == [.none, .none])
        #expect(
            outcomes(of: TransitionChain(states: []), walking: [.s0, .s0]) == [.none])
    }

    @Test func `a watcher can be set back`() {
        var watcher = ChainWatcher(Stop.s0 => .s1 => .s2)
        _ = watcher.observe(from: .s0, to: .s1)
        #expect(watcher.position.stepsWalked == 1)
        watcher.restart()
        #expect(watcher == ChainWatcher(Stop.s0 => .s1 => .s2))
        #expect(watcher.observe(from: .s1, to: .s2) == .none)
    }

    @Test func `a watcher is stored and restored with the state it belongs to`() throws {
        var watcher = ChainWatcher(Stop.s0 => .any => .s2)
        _ = watcher.observe(from: .s0, to: .s1)
        var writer = JSONWriter()
        try JSONCoding.encode(watcher, into: &writer)
        #expect(
            String(decoding: writer.bytes, as: UTF8.self)
                == #"{"chain":{"states":["s0",null,"s2"]},"position":[1]}"#)
        let document = try JSONDocument(parsing: writer.bytes)
        var restored = try JSONCoding.decode(
            ChainWatcher<Stop>.self, from: document, at: document.root)
        #expect(restored == watcher)
        #expect(restored.observe(from: .s1, to: .s2) == .completed)
    }
}
