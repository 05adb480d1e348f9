import Foundation
import OrderedJSON
import Testing

@testable import GroveServer

@Suite("ConfigurationKey")
struct ConfigurationKeyTests {
    @Test func `every key has a unique name, a reason, and a default of its kind`() {
        var seen: Set<String> = []
        for key in ConfigurationKey.all {
            #expect(seen.insert(key.name).inserted)
            #expect(key.reason.hasSuffix("."))
            #expect(key.value(ConfigurationKey.text(key.standard)) == key.standard, "\(key.name)")
            if case .integer = key.kind { #expect(!key.unit.isEmpty) }
        }
    }

    @Test func `the file that comes with Grove has every key with its default`() throws {
        try expectDocument("Config/grove.json", Self.file())
    }

    @Test func `the manual's page has every key`() throws {
        try expectDocument("docs/reference/configuration.md", Self.page())
    }

    @Test func `the file that comes with Grove is the default configuration`() {
        let file = ConfigurationFile(Array(Self.file().utf8), name: "grove.json")
        #expect(file.problems.isEmpty)
        #expect(file.settings.map(\.key) == ConfigurationKey.all.map(\.name))
        #expect(file.settings.map(\.value) == ConfigurationKey.all.map(\.standard))
    }

    /// Compares a document with the text from the keys. `UPDATE_GOLDEN=1` rewrites the document
    /// instead.
    private func expectDocument(_ path: String, _ text: String) throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let url = root.appending(path: path)
        if ProcessInfo.processInfo.environment["UPDATE_GOLDEN"] == "1" {
            try Data(text.utf8).write(to: url)
        }
        #expect(try String(contentsOf: url, encoding: .utf8) == text, "UPDATE_GOLDEN=1 rewrites")
    }

    @Test func `the page says for each key whether a reload applies it`() {
        let page = Self.page()
        for key in ConfigurationKey.all {
            let section = page.components(separatedBy: "## `\(key.name)`\n").last ?? ""
            let said = section.components(separatedBy: "\n## ").first ?? ""
            #expect(said.contains("needs a restart") != key.isReloadable, "\(key.name)")
            #expect(said.contains("reload") == key.isReloadable, "\(key.name)")
        }
        // These keys configure resources that are opened once.
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
                ? "A reload applies a change." : "A change needs a restart."
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

        Each key can be set in a file, in the environment, or on the command line. A flag overrides
        the environment, the environment overrides the file, and the file overrides the default.
        `--config` or the variable `GROVE_CONFIG` names the file. In flags and variables, several
        texts are separated by commas.

        A file is one JSON object. A key has its value, or an object with the value as `value`.
        Such an object may describe the key with `default`, `origin`, `unit`, `reload` and
        `reason`; [Config/grove.json](../../Config/grove.json) has every key in this form.

        ```console
        grove serve --config grove.json --print-config
        ```

        prints every key with its effective value and the origin of the value, and doesn't start a
        server. With `--json` it prints an object that is a configuration file.

        ## Errors

        An unknown key, in the file or as a flag, and a value that isn't allowed end the start with
        exit code 78, or 64 for an unknown flag. All faults are reported at once, one per line,
        with the key, the value, the allowed values, and the place:

        ```
        error: max-inflight: must be an integer from 1 to 65536 requests, not 0 (grove.json, line 3)
        error: max-lin: there is no such key; did you mean max-line? \
        'grove serve --print-config' lists all keys (grove.json, line 2)
        ```

        A file that every user of the machine can change is refused in the same way, with the
        command that helps: `chmod o-w`. On a read-only mount, it is accepted.

        An unknown variable that begins with `GROVE_` is an error only if it looks like a typo of a
        key: at most two wrong letters, one for keys of less than six letters. Other variables are
        ignored, because orchestrators set variables such as `GROVE_PORT` for a service of that
        name.

        ## Reloading

        After SIGHUP a running server reads the file again. A change of a key that is marked as
        reloadable below takes effect at once. If other keys have changed, the log lists them under
        `needs_restart`, and their values stay. A file with errors changes nothing; the log has one
        line with all errors. A line `configuration reloaded` has the old and the new values.

        The files of `tls-certificate`, `tls-key` and `tls-client-ca` are read again too, whatever
        else has changed, for new connections ([security](../operating/security.md#renewing)). So
        are the values of `secrets` and the file of `http-ca`, for new HTTP requests. A wrong file
        changes nothing, not even other keys.

        The greeting's values stay valid for a connection until it ends: changes of `max-line` and
        `heartbeat-ms` apply to new connections only. HTTP requests that are running continue with
        the old `http-allow` and the other keys of the handler. Flags and the environment still
        override the file.

        [Exit codes](cli.md#exit-codes) lists the codes with which a server ends.


        """
}

/// JSON with a space after commas.
private enum JSONLines {
    static func spaced(_ value: JSONValue) -> String {
        guard case .array(let elements) = value else { return "\(value)" }
        return "[" + elements.map { "\($0)" }.joined(separator: ", ") + "]"
    }
}
