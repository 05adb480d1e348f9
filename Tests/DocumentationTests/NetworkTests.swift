import Foundation
import GroveTestSupport
import Testing

/// The commands of docs/network.md, run by one shell in their order. Those that run on, `grove
/// serve` and `grove watch`, run beside it. A comment `# refused` says that a command ends with a
/// refusal. A block `text` after a block of commands is what they write.
@Suite("On a network", .serialized, .timeLimit(.minutes(2)))
struct NetworkTests {
    /// Commands, and what they write.
    private struct Step {
        var commands: [String]
        var output: String?
    }

    private static func steps() throws -> [Step] {
        let page = try #require(Documentation.pages.first { $0.path == "docs/network.md" })
        var steps: [Step] = []
        var previous = ""
        for block in page.blocks {
            if block.language == "console" {
                steps.append(Step(commands: commands(block.lines)))
            } else if block.language == "text", previous == "console", !steps.isEmpty {
                steps[steps.count - 1].output = block.lines.joined(separator: "\n")
            }
            previous = block.language
        }
        return steps
    }

    /// The commands of a block; one with a text within it has several lines.
    private static func commands(_ lines: [String]) -> [String] {
        var commands: [String] = []
        var rest = lines[...]
        while let line = rest.popFirst() {
            commands.append(line)
            guard line.contains("<<'END'") else { continue }
            while let text = rest.popFirst() {
                commands[commands.count - 1] += "\n" + text
                if text == "END" { break }
            }
        }
        return commands
    }

    /// The shell's program, which writes a mark after each command.
    private static func script(_ steps: [Step], port: UInt16) -> String {
        var lines = ["exec 2>&1"]
        for (place, step) in steps.enumerated() {
            for command in step.commands {
                if command.hasPrefix("grove serve") {
                    lines.append("\(command) > serve.log 2>&1 & server=$!")
                    lines.append("until [ -S grove.sock ]; do sleep 0.1; done")
                    continue
                }
                if command.hasPrefix("grove watch") {
                    // Until it follows: then its connection is open.
                    lines.append("\(command) > watch.log 2>&1 & watch=$!; sleep 2")
                    continue
                }
                if command.contains("--data grove.db"), place > 2 {
                    lines.append("kill -INT $server; wait $server")
                }
                lines.append(command)
                lines.append("printf '@@ %s %s\\n' \(place) $?")
            }
        }
        lines.append("wait $watch; printf '@@ watch %s\\n' $?")
        return lines.joined(separator: "\n").replacing("7443", with: "\(port)")
    }

    /// Whether a text is as written, with anything for each `…`, and any number of blanks.
    private static func isAsWritten(_ text: String, _ pattern: String) throws -> Bool {
        let parts = pattern.split(separator: "…", omittingEmptySubsequences: false).map { part in
            part.split(separator: " ", omittingEmptySubsequences: false)
                .map { NSRegularExpression.escapedPattern(for: String($0)) }
                .joined(separator: " ")
                .replacing(/[ ]+/, with: " +")
        }
        let expression = try NSRegularExpression(
            pattern: "^" + parts.joined(separator: ".*?") + "$",
            options: [.dotMatchesLineSeparators])
        let range = NSRange(text.startIndex..., in: text)
        return expression.firstMatch(in: text, range: range) != nil
    }

    /// A port at which nothing listens.
    private static func freePort() throws -> UInt16 {
        let folder = try TemporaryFolder()
        let server = try ServerProcess(data: folder.path("grove.db"))
        #expect(server.stop() == 0)
        return server.port
    }

    @Test func `the commands of the page work, and write what it says`() throws {
        let steps = try Self.steps()
        try #require(steps.count > 15)
        let folder = try TemporaryFolder()
        let client = Documentation.root.appending(path: "Python/grove_client.py")
        try FileManager.default.copyItem(
            at: client, to: folder.url.appending(path: "grove_client.py"))
        let binaries = try GroveBinary.find().deletingLastPathComponent().path
        let script = try Self.script(steps, port: Self.freePort())
        let setting = "cd '\(folder.url.path)'; export PATH='\(binaries)':\"$PATH\"\n"
        let outcome = try Command.run("bash", ["-c", setting + script])
        var outputs: [Int: String] = [:]
        var results: [(place: Int, code: Int)] = []
        var text: [Substring] = []
        for line in outcome.output.split(separator: "\n", omittingEmptySubsequences: false) {
            guard line.hasPrefix("@@ ") else {
                text.append(line)
                continue
            }
            let words = line.split(separator: " ")
            guard let place = Int(words[1]), let code = Int(words[2]) else { continue }
            results.append((place, code))
            outputs[place, default: ""] += text.map { $0 + "\n" }.joined()
            text = []
        }
        var rest = results[...]
        for (place, step) in steps.enumerated() {
            for command in step.commands
            where !command.hasPrefix("grove serve") && !command.hasPrefix("grove watch") {
                let next = rest.popFirst()
                let result = try #require(next, "\(command): \(outcome.output)")
                let isRefused = command.contains("# refused")
                #expect(result.place == place && (result.code != 0) == isRefused, "\(command)")
            }
            guard let expected = step.output, let actual = outputs[place] else { continue }
            let written = actual.dropLast().replacing(/localhost:\d+/, with: "localhost:7443")
            #expect(
                try Self.isAsWritten(String(written), expected),
                "\(actual)\nis not as written:\n\(expected)")
        }
        #expect(outcome.output.contains("@@ watch 1"), "a watcher of a revoked token ends")
    }
}
