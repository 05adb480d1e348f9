import GroveEngine
import GroveNetwork
import Testing
import Transducers

@testable import GroveServer

extension OverSockets {
    /// A server knows the handlers that it needs before its first client connects.
    @Suite("Handlers that machines need", .timeLimit(.minutes(1)))
    struct NeededHandlerTests {
        private enum Sender: EffectTransducer, InitialState {
            struct State: NonTerminal, Codable, Sendable {}
            enum Event: Codable, Sendable { case go }
            typealias Output = Int

            static var initialState: State { State() }

            static func update(_ state: inout State, event: Event) -> (Effect?, Int) {
                (.perform("fax", argument: "x"), 0)
            }
        }

        private func makeServer(_ handlers: EffectHandlers) throws -> Server {
            var options = ServerOptions()
            options.listen = [.loopbackV4(port: 0)]
            options.handlers = handlers
            let sender = Definition(
                Sender.self, named: "sender", version: "1", handlers: ["fax"])
            return Server(options: options, catalogue: try Catalogue([sender]), log: Log.silent)
        }

        @Test func `a machine whose handler is missing keeps the server from starting`()
            async throws
        {
            let server = try makeServer(EffectHandlers())
            await #expect {
                try await server.start()
            } throws: { error in
                let message = (error as? Server.Failure)?.message
                return message?.hasPrefix("machine sender needs the handler \"fax\"") ?? false
            }
        }

        @Test func `with the handler it starts`() async throws {
            var handlers = EffectHandlers()
            handlers.register("fax") { (_: String, _) in }
            let server = try makeServer(handlers)
            try await server.start()
            try await server.stop(graceMilliseconds: 4_000)
        }
    }
}
