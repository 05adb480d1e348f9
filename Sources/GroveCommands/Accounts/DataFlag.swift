import ArgumentParser
import GroveAccess
import GroveClient
import GroveEngine

/// The flag of commands that work without a server.
struct DataFlag: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Work on this data file, whose server is stopped, instead of asking a server.",
            valueName: "file"), completion: .file())
    var data: String?
}
