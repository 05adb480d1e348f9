import Foundation
import OrderedJSON
import Testing

@testable import GroveServer

@Suite("ConfigurationKey")
struct ConfigurationKeyTests {
    @Test func `every key has a name of its own, a reason, and a default of its kind`() {
        var seen: Set<String> = []
        for key in ConfigurationKey.all {
            #expect(seen.insert(key.name).inserted)
            #expect(key.reason.hasSuffix("."))
            #expect(key.value(ConfigurationKey.text(key.standard)) == key.standard, "\(key.name)")
            if case .integer = key.kind { #expect(!key.unit.isEmpty) }
        }
    }

    @Test func `the file that comes with Grove says every key with its default`() throws {
        try expectDocument("Config/grove.json", Self.file())
    }

    @Test func `the manual's page says every key`() throws {
        try expectDocument("docs/reference/configuration.md", Self.page())
    }

    @Test func `the file that comes with Grove is the default configuration`() {
        let file = ConfigurationFile(Array(Self.file().utf8), name: "grove.json")
        #expect(file.problems.isEmpty)
        #expect(file.settings.map(\.key) == ConfigurationKey.all.map(\.name))
        #expect(file.settings.map(\.value) == ConfigurationKey.all.map(\.standard))
    }

    /// Compares a document with what the keys say; `UPDATE_GOLDEN=1` rewrites it instead.
    private func expectDocument(_ path: String, _ text: String) throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let url = root.appending(path: path)
        if ProcessInfo.processInfo.environment["UPDATE_GOLDEN"] == "1" {
            try Data(text.utf8).write(to: url)
        }
        #expect(try String(contentsOf: url, encoding: .utf8) == text, "UPDATE_GOLDEN=1 rewrites")
    }

    @Test func `where a server can't take another value, the page says so, and where it can`() {
        let page = Self.page()
        for key in ConfigurationKey.all {
            let section = page.components(separatedBy: "## `\(key.name)`\n").last ?? ""
            let said = section.components(separatedBy: "\n## ").first ?? ""
            #expect(said.contains("needs a restart") != key.isReloadable, "\(key.name)")
            #expect(said.contains("reload") == key.isReloadable, "\(key.name)")
        }
        // These belong to what is opened once.
        for name in ["listen", "data", "node", "log-format", "max-pending"] {
            #expect(ConfigurationKey.named(name)?.isReloadable == false)
        }
    }

    private static func file() -> String {
        let keys = ConfigurationKey.all.map { key in
            let members = key.member(key.standard).map {
                "    \(JSONValue.string($0.name)): \(JSONLines.spaced($0.value))"
            }
            return "  \"\(key.name)\": {\n" + members.joined(separator: ",\n") + "\n  }"
        }
        return "{\n" + keys.joined(separator: ",\n") + "\n}\n"
    }

    private static func page() -> String {
        let rows = ConfigurationKey.all.map { key in
            let change =
                key.isReloadable
                ? "A change is taken by a reload." : "A change needs a restart."
            return """
                ## `\(key.name)`

                \(wrapped(key.reason))

                - Value: \(key.expectation).
                - Default: `\(key.standard)`.
                - Flag `--\(key.name)`, variable `\(key.variable)`.
                - \(change)

                """
        }
        return introduction + rows.joined(separator: "\n")
    }

    private static func wrapped(_ text: String) -> String {
        var lines: [String] = []
        var line = ""
        for word in text.split(separator: " ") {
            if line.count + 1 + word.count > 100 {
                lines.append(line)
                line = String(word)
            } else {
                line += (line.isEmpty ? "" : " ") + word
            }
        }
        return (lines + [line]).joined(separator: "\n")
    }

    private static let introduction = """
        # Configuration

        Every key can stand in a file, in the environment and on the command line. A flag wins over
        the environment, the environment over the file, the file over the default. `--config` or
        the variable `GROVE_CONFIG` names the file. In flags and variables, several texts are
        separated by commas.

        A file is one JSON object. A key has its value, or an object with the value as `value`,
        which may explain it with `default`, `origin`, `unit`, `reload` and `reason`;
        [Config/grove.json](../../Config/grove.json) says every key that way.

        ```console
        grove serve --config grove.json --print-config
        ```

        shows every key with the value that would hold, and where it comes from, and doesn't start
        a server. With `--json` it is an object that is a configuration file again.

        ## What is refused

        A key that there isn't, in the file or as a flag, and a value that isn't allowed end the
        start with exit code 78, or 64 for a flag that there isn't. Everything that is wrong is
        told at once, a line each, with the key, the value, what would do, and the place:

        ```
        error: max-inflight: must be an integer from 1 to 65536 requests, not 0 (grove.json, \
        line 3)
        error: max-lin: there is no such key; did you mean max-line? 'grove serve \
        --print-config' lists all keys (grove.json, line 2)
        ```

        An unknown variable that begins with `GROVE_` is refused only if it looks like a typo of a
        key's: at most two wrong letters, one for keys of less than six letters. The others are
        passed over, because orchestrators set variables such as `GROVE_PORT` for a service of that
        name.

        ## Reloading

        At SIGHUP a running server reads the file again. Keys below that say so are taken at once.
        If others have changed, the log names them under `needs_restart`, and they stay as they
        were. A file with errors changes nothing; the log has one line with all of them. A line
        `configuration reloaded` says what has changed, from what to what.

        What a client is told in the greeting holds for its connection until it ends: `max-line`
        and `heartbeat-ms` are taken by new connections only. Requests over HTTP that are under way
        go on by the old `http-allow` and its like. What flags and the environment say still wins
        over the file.

        ## Exit codes

        | code | meaning |
        |---|---|
        | 0 | a clean stop |
        | 64 | wrong usage of the command line |
        | 65 | the data file is refused: damaged, foreign, or of a newer Grove |
        | 73 | the data file is owned by another server |
        | 74 | an I/O error; what was not acknowledged is unknown |
        | 78 | wrong configuration |


        """
}

/// JSON as people write it: with a space behind commas.
private enum JSONLines {
    static func spaced(_ value: JSONValue) -> String {
        guard case .array(let elements) = value else { return "\(value)" }
        return "[" + elements.map { "\($0)" }.joined(separator: ", ") + "]"
    }
}
