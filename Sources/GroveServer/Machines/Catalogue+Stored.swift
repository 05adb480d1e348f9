public import GroveEngine
public import Transducers

extension Catalogue {
    /// The machines of a program over a data file: its compiled machines, the definitions in the
    /// file, and the examples whose names are free then.
    ///
    /// - Parameters:
    ///   - compiled: The machines of the program.
    ///   - examples: Machines that give way to definitions of the same names.
    ///   - stored: The definitions in the data file, in their order.
    ///   - report: Called for a definition that can't be used, with the reason. It is left out: its
    ///     instances can be read, and take no events.
    /// - Throws: ``CatalogueError`` when the compiled machines can't be hosted together.
    public init(
        compiled: [Definition], examples: [Definition] = [], stored: [StoredDefinition],
        reporting report: (StoredDefinition, String) -> Void
    ) throws(CatalogueError) {
        try self.init(compiled)
        for (definition, compiled) in zip(stored, ChartCompiler.compile(stored: stored)) {
            switch compiled {
            case .definitions(let family, _):
                do throws(CatalogueError) {
                    try add(family: family, bytes: definition.text.count)
                    if definition.isRetired { retire(definition.machine) }
                } catch {
                    noteUnusable(definition.machine)
                    report(definition, "\(error)")
                }
            case .refused(let problems):
                noteUnusable(definition.machine)
                let first = problems.first { $0.isError }
                report(definition, first.map { "\($0.path): \($0.message)" } ?? "it has problems")
            }
        }
        for example in examples where self[example.name] == nil { try add(example) }
    }
}
