import GroveEngine
import GroveNetwork
import Testing
import Transducers

@testable import GroveServer

/// A machine that uses a handler, an effect closure and a timer.
private enum Meter: EffectTransducer, InitialState {
    struct State: Terminable, Codable, Sendable {
        var sum = 0
        var isTerminal = false
    }

    enum Event: Codable, Sendable {
        /// Lets the handler double a number.
        case double(Int)
        /// Receives two numbers from an effect closure.
        case listen
        /// Ends after a number of milliseconds.
        case end(after: Int)
        case add(Int)
        case over
    }

    typealias Env = Int

    static var initialState: State { State() }

    static func update(_ state: inout State, event: Event) -> TransducerEffect<Self>? {
        switch event {
        case .double(let number):
            return .perform("double", id: "d", argument: number, then: "add")
        case .listen:
            return TransducerEffect(id: "ear") { number, input in
                for _ in 1...2 { try await input.enqueue(.add(number)) }
            }
        case .end(let milliseconds):
            return .after(.milliseconds(milliseconds), id: "t", .over)
        case .add(let number):
            state.sum += number
            return nil
        case .over:
            state.isTerminal = true
            return nil
        }
    }
}

extension OverSockets {
    @Suite("Effects in a server", .timeLimit(.minutes(2)))
    struct EffectsInServerTests {
        private func withMeter(_ body: (RawClient) throws -> Void) async throws {
            var handlers = EffectHandlers()
            handlers.register("double") { (number: Int, _) in number * 2 }
            var options = ServerOptions()
            options.listen = [.loopbackV4(port: 0)]
            options.handlers = handlers
            let meter = Definition(
                Meter.self, named: "meter", version: "1", handlers: ["double"], env: { 5 })
            let server = Server(
                options: options, catalogue: try Catalogue([meter]), log: Log.silent)
            try await server.start()
            let address = try #require(await server.listeningAddress)
            let client = try RawClient(address)
            try body(client)
            client.hangUp()
            try await server.stop(graceMilliseconds: 4_000)
        }

        @Test func `handlers, closures and timers work, and waits are answered`() async throws {
            try await withMeter { client in
                let doubled = try client.ask(
                    #"{"op":"send","id":1,"to":"meter/m","event":{"type":"double","value":4},"#
                        + #""settle":"own","timeout_ms":60000}"#)
                #expect(doubled.contains(#""end":"completed""#), "\(doubled)")
                let heard = try client.ask(
                    #"{"op":"send","id":2,"to":"meter/m","event":"listen","#
                        + #""settle":"tree","timeout_ms":60000}"#)
                #expect(heard.contains(#""id":"ear","end":"completed""#), "\(heard)")
                _ = try client.ask(
                    #"{"op":"send","id":3,"to":"meter/m","event":{"type":"end","after":10}}"#
                )
                let done = try client.ask(
                    #"{"op":"await","id":4,"to":"meter/m","until":"done","timeout_ms":60000}"#
                )
                // 8 from the handler, and twice 5 from the closure.
                #expect(done.contains(#""sum":18"#) && done.contains(#""done":true"#), "\(done)")
                #expect(done.contains(#""timers":[],"effects":[]"#), "\(done)")
            }
        }
    }
}
