import Foundation
import GroveClient

/// A terminal that `script` (Debian's bsdutils) makes.
enum Terminal {
    /// Runs a command on a terminal; what it shows, both outputs together.
    static func run(
        _ arguments: [String], server: ServerAddress, _ environment: [String: String] = [:]
    ) throws -> String {
        let quoted = ([Tool.path] + arguments).map { "'\($0)'" }.joined(separator: " ")
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["script", "-qec", quoted, "/dev/null"]
        process.environment = [
            "TERM": "xterm", "GROVE_SERVER": server.description, "PATH": "/usr/bin:/bin",
        ]
        .merging(environment) { $1 }
        process.standardInput = FileHandle.nullDevice
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = pipe
        try process.run()
        let data = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return String(decoding: data, as: UTF8.self).replacingOccurrences(of: "\r\n", with: "\n")
    }
}
