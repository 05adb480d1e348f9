import GroveEngine
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
