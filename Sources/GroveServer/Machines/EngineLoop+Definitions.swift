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

    /// Logs that the data has instances of machines that aren't hosted: nobody notices otherwise
    /// that their timers rest.
    ///
    /// - Parameter hint: What may help.
    func logUnhostedInstances(hint: String) {
        guard let core else { return }
        let unhosted = core.engine.unhosted(in: core.store)
        guard !unhosted.isEmpty else { return }
        var names = unhosted.prefix(Self.unhostedNamedMax).map(\.machine).joined(separator: " ")
        let others = unhosted.count - Self.unhostedNamedMax
        if others > 0 { names += " and \(others) more" }
        log.warning(
            "instances whose machines aren't hosted get no events and no timers",
            metadata: [
                "machines": "\(names)",
                "instances": .stringConvertible(unhosted.reduce(0) { $0 + $1.instances }),
                "hint": "\(hint)",
            ])
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
