import Dispatch
import GroveEngine
import GroveNetwork
import GroveWire
import Logging
import Transducers

/// Machines as data: those of the data file, and new ones.
extension EngineLoop {
    /// The machines of the program over the definitions of the data file.
    func hosted(
        _ compiled: [Definition], examples: [Definition], over store: any Store
    ) throws(StoreOpenError) -> Catalogue {
        do throws(CatalogueError) {
            return try Catalogue(
                compiled: compiled, examples: examples, stored: store.definitions
            ) { stored, problem in
                log.error(
                    "a stored definition can't be used",
                    metadata: [
                        "machine": "\(stored.machine)", "version": "\(stored.version)",
                        "problem": "\(problem)",
                    ])
            }
        } catch {
            preconditionFailure("the machines of the program were checked before: \(error)")
        }
    }

    /// Lets other threads read definitions that clients have sent. The requests go on with what was
    /// read.
    func readDefinitions() {
        while let (request, define) = definitions.next() {
            DefinitionQueue.threads.async {
                let compiled = ChartCompiler.compile(define.text)
                self.post { loop in
                    loop.submit([loop.definitions.end(request, define, compiled)])
                    if loop.definitions.hasClosed(request.connection) {
                        loop.connectionClosed(request.connection)
                    }
                }
            }
        }
    }

    /// Defines a machine of the server's own folder, and commits that.
    ///
    /// - Returns: What came of it; `nil` if it couldn't be committed.
    func define(_ define: Define) -> Reply? {
        guard let core else { return nil }
        let reply = core.engine.defineNow(define, at: Clock.time(), store: core.store)
        guard case .defined(let defined) = reply, defined.changed else { return reply }
        flush()
        let item = defined.definition
        return self.core?.engine.hosts(item) == true ? reply : nil
    }
}
