import GroveEngine
import GroveServer
import GroveStorage

extension GroveApplication {
    /// The machines of the program and of a data file. Those that can't be used are named on
    /// standard error.
    static func catalogue(over store: SQLiteStore) -> Catalogue {
        do throws(CatalogueError) {
            return try Catalogue(
                compiled: definitions, examples: examples, stored: store.definitions
            ) { stored, problem in
                Output.note(
                    "warning: version \(stored.version) of machine \(stored.machine) can't be "
                        + "used: \(problem)")
            }
        } catch {
            preconditionFailure("the machines of a program can be hosted together: \(error)")
        }
    }
}
