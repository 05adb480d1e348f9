import Foundation
import GroveClient
import GroveTestSupport

/// A shell at a terminal that `script` makes, with the tool's completions, and simulated typing.
final class InteractiveShell {
    /// Shells whose scripts the tool prints, and whose prompt can be read.
    enum Kind: String, CaseIterable {
        case zsh, fish

        /// The shells to test: all that this machine has, or all where `CI` is set.
        static var tried: [Kind] {
            let isCI = ProcessInfo.processInfo.environment["CI"] != nil
            return allCases.filter {
                isCI || FileManager.default.isExecutableFile(atPath: "/usr/bin/\($0)")
            }
        }
    }

    private let home = NSTemporaryDirectory() + "grove-shell-\(UUID().uuidString)"
    private let process = Process()
    private let keys = Pipe()
    private var completed = 0

    /// Starts one, whose `grove` uses this server; waits until it reads input.
    init(_ kind: Kind, server: ServerAddress) throws {
        // Scripts are written for a command of this name.
        try FileManager.default.createDirectory(
            atPath: home, withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(
            atPath: home + "/grove", withDestinationPath: Tool.path)
        try settings(of: kind).write(toFile: home + "/settings", atomically: true, encoding: .utf8)
        let start =
            switch kind {
            case .zsh: "zsh -f -i"
            case .fish: "fish -i --no-config"
            }
        process.executableURL = URL(filePath: "/usr/bin/script")
        process.arguments = ["-qec", start, "/dev/null"]
        process.environment = [
            "TERM": "dumb", "HOME": home, "PATH": home + ":/usr/bin:/bin",
            "GROVE_SERVER": server.description, "PS1": "ready",
        ]
        process.standardInput = keys
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        try type("source ~/settings\r")
        try waitForLine()
    }

    deinit {
        // A shell at a terminal may ignore other signals; the end of the terminal ends it.
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
        // A failed removal is left to the system's cleaning.
        try? FileManager.default.removeItem(atPath: home)
    }

    /// The text at the prompt after these words and a tab.
    func complete(_ words: String) throws -> String {
        try type(words + "\t\u{18}")
        return try waitForLine()
    }

    /// Ctrl-X writes the prompt's text to a file, and deletes it.
    private func settings(of kind: Kind) -> String {
        switch kind {
        case .zsh:
            """
            autoload -Uz compinit && compinit -u -D
            source <(grove completions zsh); compdef _grove grove
            note() { print -r -- "$BUFFER|" >>~/lines; BUFFER= }
            zle -N note; bindkey -e; bindkey '^X' note
            print -r -- '|' >>~/lines
            """
        case .fish:
            """
            grove completions fish | source
            function note
                echo (commandline)'|' >>~/lines
                commandline ''
            end
            bind \\cx note
            echo '|' >>~/lines
            """
        }
    }

    private func type(_ text: String) throws {
        try keys.fileHandleForWriting.write(contentsOf: Data(text.utf8))
    }

    /// The next line of that file; the time limit of the suite ends the wait.
    @discardableResult
    private func waitForLine() throws -> String {
        while true {
            // The file doesn't exist before the first line.
            let text = (try? String(contentsOfFile: home + "/lines", encoding: .utf8)) ?? ""
            let lines = text.split(separator: "|\n", omittingEmptySubsequences: false).dropLast()
            if lines.count > completed {
                completed += 1
                return String(lines[completed - 1])
            }
            guard process.isRunning else { throw FakeServerError(text: "the shell has ended") }
            usleep(20_000)
        }
    }
}
