import BuiltInMachines
import Grove

/// The command `grove`: an application that hosts machines as data, and the built-in machines as
/// examples.
@main struct Tool: GroveApplication {
    static let definitions: [Definition] = []
    static let examples = BuiltInMachines.definitions
    static let commandName = "grove"
}
