import Foundation
import GroveClient
import GroveTestSupport

/// A terminal that `script` (Debian's bsdutils) makes.
enum Terminal {
    /// Runs a command on a terminal; what it shows, both outputs together.
    static func run(
        _ arguments: [String], server: ServerAddress, _ environment: [String: String] = [:]
    ) throws -> String {
        let quoted = ([Tool.path] + arguments).map { "'\($0)'" }.joined(separator: " ")
        let variables = [
            "TERM": "xterm", "GROVE_SERVER": server.description, "PATH": "/usr/bin:/bin",
        ]
        .merging(environment) { $1 }
        let outcome = try Command.run(
            "env",
            ["-i"] + variables.map { "\($0)=\($1)" } + ["script", "-qec", quoted, "/dev/null"])
        return outcome.output.replacingOccurrences(of: "\r\n", with: "\n")
    }
}
