import Testing
import TransducerTesting
import Transducers

/// The examples of the article on testing.
@Suite("Article: Testing", .timeLimit(.minutes(1)))
struct TestingExamples {
    enum Vending: EffectTransducer {
        struct State: NonTerminal, Hashable {
            var coins = 0
            var isBusy = false
        }
        enum Event: Hashable, CaseIterable { case coin, choose, ready, patience }
        enum Output: Equatable { case thanks, brewing, coffee, goodbye }
        struct Env: Sendable { var brew: @Sendable () async throws -> Void }

        static func update(
            _ state: inout State, event: Event
        ) throws -> (Self.Effect?, Output) {
            switch event {
            case .coin where state.coins < 2 && !state.isBusy:
                state.coins += 1
                return (.after(.seconds(60), id: "patience", .patience), .thanks)
            case .choose where state.coins > 0 && !state.isBusy:
                state.isBusy = true
                let brew = Effect.run(id: "brew") { env, _ in
                    try await env.brew()
                    return .ready
                }
                return (.cancel(id: "patience") + brew, .brewing)
            case .ready where state.isBusy:
                state = State(coins: state.coins - 1)
                return (nil, .coffee)
            case .patience where state.coins > 0 && !state.isBusy:
                state.coins = 0
                return (nil, .goodbye)
            case .coin: throw Rejection("no more coins", accepts: ["choose"])
            case .choose: throw Rejection("nothing to choose", accepts: ["coin"])
            case .ready, .patience: throw Rejection("nothing waits for that")
            }
        }
    }

    @Test func `a step is called`() throws {
        var state = Vending.State(coins: 1)
        let output = try Vending.step(&state, .choose).1
        #expect(output == .brewing && state.isBusy)
    }

    @Test func `a coin buys a coffee`() async {
        let vending = TestTransducer<Vending>(initialState: .init(), env: .init(brew: {}))
        await vending.sendRejected(.choose, reason: "nothing to choose", accepts: ["coin"])

        await vending.send(.coin) { $0.coins = 1 }
        vending.expect(output: .thanks)
        vending.expectEffect(id: "patience")

        await vending.send(.choose) { $0.isBusy = true }
        vending.expect(output: .brewing)
        vending.expectEffect(id: "brew")
        await vending.expectCancelled(id: "patience")

        await vending.receive(.ready) { $0 = Vending.State() }
        vending.expect(output: .coffee)
        await vending.finish()
    }

    @Test func `patience ends after a minute`() async {
        let vending = TestTransducer<Vending>(initialState: .init(), env: .init(brew: {}))
        await vending.send(.coin) { $0.coins = 1 }
        vending.expect(output: .thanks)
        vending.expectEffect(id: "patience")
        await vending.advance(by: .seconds(60))
        await vending.receive(.patience) { $0.coins = 0 }
        vending.expect(output: .goodbye)
        await vending.finish()
    }

    @Test func `every state is walked`() throws {
        let exploration = try explore(Vending.self, from: Vending.State())
        #expect(exploration.reachable.count == 5)
        #expect(exploration.deadEnds.isEmpty)
        #expect(exploration.unhandled.allSatisfy { $0.isRejection })
    }

    @Test func `a trace writes lines`() throws {
        let options = RunOptions<Vending>().traced(to: { line in print(line) })
        let driver = SynchronousDriver(
            of: Vending.self, initialState: .init(), env: .init(brew: {}), options: options)
        try driver.send(.coin)
        #expect(driver.state.coins == 1)
    }
}
