import ArgumentParser
import OrderedJSON

struct Version<Application: GroveApplication>: ParsableCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "version",
            abstract: "Print the version of this program; 'grove ping' prints the server's.",
            discussion: """
                With --json prints an object: "program", "version", and "grove", the version of \
                Grove in it.

                  grove version
                """)
    }

    @Flag(help: "Write a JSON object.") var json = false

    /// The application's version, if it has one, and Grove's.
    static var text: String {
        let grove = "grove \(ToolVersion.current)"
        if Application.version.isEmpty { return grove }
        return "\(Application.commandName) \(Application.version) (\(grove))"
    }

    func run() throws {
        guard json else { return try Output.line(Self.text) }
        let isGrove = Application.version.isEmpty
        let object: JSONValue = [
            "program": .string(Application.commandName),
            "version": .string(isGrove ? ToolVersion.current : Application.version),
            "grove": .string(ToolVersion.current),
        ]
        try Output.line(object.serialized())
    }
}
