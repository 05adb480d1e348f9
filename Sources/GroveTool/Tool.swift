import BuiltInMachines
import Grove

/// The command `grove`: what everybody can make who hosts machines, with those that come with
/// Grove.
@main struct Tool: GroveApplication {
    static let definitions = BuiltInMachines.definitions
    static let commandName = "grove"
}
