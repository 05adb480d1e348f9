import BuiltInMachines
import Grove

/// The command `grove`: an application that hosts the built-in machines.
@main struct Tool: GroveApplication {
    static let definitions = BuiltInMachines.definitions
    static let commandName = "grove"
}
