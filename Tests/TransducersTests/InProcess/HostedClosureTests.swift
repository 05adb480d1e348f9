import OrderedJSON
import Testing

@testable import Transducers

/// Closures of effects as a host runs them.
@Suite("Hosted closures", .timeLimit(.minutes(1)))
struct HostedClosureTests {
    enum Ear: EffectTransducer {
        enum State: NonTerminal { case only }
        enum Event: Codable, Sendable { case first, late }

        static func update(_ state: inout State, event: Event) -> Effect? { nil }
    }

    @Test func `an event after the closure's end is answered`() async throws {
        let (emitting, mayGoOn, verdicts) = (Signal(), Signal(), Notes<SendVerdict>())
        let effect = Ear.Effect { _, input in
            try input.send(.first)
            await emitting.wait()
            // Outlives the closure, and sends when its end is known.
            Task {
                for _ in 1...100 { await Task.yield() }
                async let verdict = input.sendAndWait(.late)
                for _ in 1...100 { await Task.yield() }
                mayGoOn.fire()
                do {
                    verdicts.add(try await verdict)
                } catch {
                    verdicts.add(.notApplied(.ended))
                }
            }
        }
        guard case .operation(let operation) = effect.node else {
            Issue.record("not an operation")
            return
        }
        let handler = HostedClosure.handler(operation, env: HostedEnv {})
        let context = EffectHandlerContext(
            key: "k", attempt: 1, instance: "ear/a", delivered: 0, run: 1
        ) { _ in
            emitting.fire()
            await mayGoOn.wait()
        }
        #expect(try await handler.body(.null, context) == .null)
        await until { verdicts.values.count == 1 }
    }
}
