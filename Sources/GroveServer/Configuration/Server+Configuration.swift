import Foundation
import GroveEngine
import Transducers

extension Server {
    /// The process's environment, over the file named by `GROVE_CONFIG`, if there is one.
    public static var environmentSource: ConfigurationSource {
        let environment = ProcessInfo.processInfo.environment
        return ConfigurationSource(file: environment["GROVE_CONFIG"], environment: environment)
    }

    /// A server of these machines, whose effects may also call `handlers`.
    ///
    /// - Parameter examples: Machines that are hosted only without a folder of machines, and give
    ///   way to definitions of the same names in the data file.
    /// - Throws: ``Failure/configuration(_:)`` when the machines can't be hosted together, or the
    ///   process may open too few files.
    package init(
        _ configuration: ServerConfiguration, hosting definitions: [Definition],
        examples: [Definition] = [], handlers: EffectHandlers
    ) throws(Failure) {
        // First: without descriptors, not even its queues can be made.
        if let shortage = DescriptorLimit.shortage() { throw .configuration(shortage) }
        var options = configuration.options
        for handler in handlers.all { options.handlers.register(handler) }
        let examples = options.machinesFolder == nil ? examples : []
        let catalogue: Catalogue
        do throws(CatalogueError) {
            catalogue = try Catalogue(definitions)
            _ = try Catalogue(definitions + examples)
        } catch {
            throw .configuration("the machines can't be hosted: \(error)")
        }
        self.init(
            options: options, catalogue: catalogue, examples: examples, log: configuration.logger)
    }
}
