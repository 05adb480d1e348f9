import Dispatch
import GroveEngine
import GroveNetwork
import GroveWire
import Logging
import Transducers

/// Machines as data: those of the data file, and new ones.
extension EngineLoop {
    /// Adds the definitions of the data file to the machines of the program. One that this program
    /// can't read is left out: its instances can be read, and take no events.
    func addDefinitions(of store: any Store, to catalogue: Catalogue) -> Catalogue {
        var catalogue = catalogue
        for stored in store.definitions {
            let problem: String
            switch ChartCompiler.compile(stored.text) {
            case .definitions(let family, _):
                do throws(CatalogueError) {
                    try catalogue.add(family: family, bytes: stored.text.count)
                    if stored.isRetired { catalogue.retire(stored.machine) }
                    continue
                } catch {
                    problem = "\(error)"
                }
            case .refused(let problems):
                problem = problems.first.map { "\($0.path): \($0.message)" } ?? "it has problems"
            }
            log.error(
                "a stored definition can't be used",
                metadata: [
                    "machine": "\(stored.machine)", "version": "\(stored.version)",
                    "problem": "\(problem)",
                ])
        }
        return catalogue
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
