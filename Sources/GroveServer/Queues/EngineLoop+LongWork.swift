import Dispatch
import GroveEngine
import GroveNetwork
import GroveProtocol

/// What other threads do for the engine: they read definitions that clients have sent, and make
/// descriptions of machines as data.
extension EngineLoop {
    /// Not tasks of the cooperative pool, because effect handlers can block all its threads.
    private static let threads = DispatchQueue(
        label: "grove.definitions", qos: .utility, attributes: .concurrent)

    /// Lets another thread work, and continues on this queue with the result.
    private func elsewhere<Result: Sendable>(
        _ work: @escaping @Sendable () -> Result,
        then next: @escaping @Sendable (isolated EngineLoop, Result) -> Void
    ) {
        Self.threads.async {
            let result = work()
            self.post { next($0, result) }
        }
    }

    // MARK: Definitions

    /// Begins to read definitions that clients have sent. The requests go on with what was read.
    func readDefinitions() {
        while let (number, request, define) = definitions.next() {
            elsewhere {
                ChartCompiler.compile(define.text)
            } then: { loop, compiled in
                loop.submit([loop.definitions.end(number, compiled)])
                if loop.definitions.hasClosed(request.connection) {
                    loop.connectionClosed(request.connection)
                }
            }
        }
    }

    // MARK: Descriptions

    /// Takes the descriptions that are still to be made out of what the engine released.
    func takeDescriptions(from ready: inout Ready) {
        let taken = ready.takeDescriptions()
        guard !taken.isEmpty else { return }
        for description in taken {
            core?.engine.beginDescription(of: description.connection)
            descriptions.add(description)
        }
        makeDescriptions()
    }

    private func makeDescriptions() {
        while let (number, description) = descriptions.next() {
            elsewhere {
                description.made { $0.written() }
            } then: { loop, ready in
                guard loop.descriptions.end(number) != nil else { return }
                loop.answer(description, ready)
                loop.makeDescriptions()
            }
        }
    }

    /// Makes the descriptions that are asked for here, until a time of ``Clock/uptime()``, because
    /// the server stops.
    func finishDescriptions(until deadline: Int64) {
        for description in descriptions.takeAll() where Clock.uptime() < deadline {
            answer(description, description.made { $0.written() })
        }
    }

    /// Forgets what a closed connection has asked for.
    func abandonDescriptions(of connection: ConnectionID) {
        for description in descriptions.takeWaiting(where: { $0.connection == connection }) {
            answer(description, description.abandoned)
        }
    }

    private func answer(_ description: PendingDescription, _ ready: Ready) {
        guard let core else { return }
        core.engine.endDescription(of: description.connection)
        dispatch(ready)
    }
}
