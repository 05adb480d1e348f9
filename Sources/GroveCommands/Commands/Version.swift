import ArgumentParser
import GroveServer
import OrderedJSON

struct Version<Application: GroveApplication>: ParsableCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "version",
            abstract: "Print the version of this program; 'grove ping' prints the server's.",
            discussion: """
                With --json prints an object: "program", "version", and "grove", the version of \
                Grove in it. With --libraries it also prints the libraries of this system that the \
                program uses, with their versions; with --json they are the member "libraries".

                  grove version
                  grove version --libraries
                """)
    }

    @Flag(help: "Write a JSON object.") var json = false
    @Flag(help: "Show the system's libraries, too: those for data files, TLS and HTTP.")
    var libraries = false

    /// The application's version, if it has one, and Grove's.
    static var text: String {
        let grove = "grove \(ToolVersion.current)"
        if Application.version.isEmpty { return grove }
        return "\(Application.commandName) \(Application.version) (\(grove))"
    }

    func run() throws {
        guard json else {
            try Output.line(Self.text)
            return libraries ? try printLibraries() : ()
        }
        let isGrove = Application.version.isEmpty
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("program", Application.commandName)
            writer.member("version", isGrove ? ToolVersion.current : Application.version)
            writer.member("grove", ToolVersion.current)
            guard libraries else { return }
            writer.array("libraries", SystemLibrary.all) { writer, library in
                writer.object { writer in
                    writer.member("name", library.name)
                    writer.member("version", library.version)
                    writer.member("purpose", library.purpose)
                }
            }
        }
        try Output.line(writer.bytes)
    }

    private func printLibraries() throws {
        for library in SystemLibrary.all {
            let version = library.version ?? "not found"
            try Output.line("\(library.name) \(version) (\(library.purpose))")
        }
    }
}
