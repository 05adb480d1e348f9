import Foundation
import OrderedJSON
import Testing

@testable import GroveServer

@Suite("ConfigurationKey")
struct ConfigurationKeyTests {
    @Test func `every key has a name of its own, a reason, and a default of its kind`() throws {
        var seen: Set<String> = []
        for key in ConfigurationKey.all {
            #expect(seen.insert(key.name).inserted)
            #expect(key.reason.hasSuffix("."))
            let text =
                switch key.standard {
                case .text(let text): text
                case .texts(let texts): texts.joined(separator: ",")
                case .flag(let flag): "\(flag)"
                case .integer(let number): "\(number)"
                }
            let read = try ServerConfiguration.value(text, of: key, source: "test")
            #expect(read == key.standard, "\(key.name)")
            if case .integer = key.kind { #expect(!key.unit.isEmpty) }
        }
    }

    @Test func `the file that comes with Grove says every key with its default`() throws {
        try expectDocument("Config/grove.json", Self.file())
    }

    @Test func `the manual's page says every key`() throws {
        try expectDocument("docs/reference/configuration.md", Self.page())
    }

    @Test func `the file that comes with Grove is the default configuration`() throws {
        let values = try ConfigurationFile.parse(Array(Self.file().utf8), name: "grove.json")
        for key in ConfigurationKey.all { #expect(values[key.name] == key.standard) }
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

    private static func json(_ value: ConfigurationKey.Value) -> JSONValue {
        switch value {
        case .text(let text): .string(text)
        case .texts(let texts): .array(texts.map(JSONValue.string))
        case .flag(let flag): .bool(flag)
        case .integer(let number): .integer(Int64(number))
        }
    }

    private static func text(_ value: JSONValue) -> String {
        var writer = JSONWriter()
        writer.value(value)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    private static func file() -> String {
        let keys = ConfigurationKey.all.map { key in
            let unit = key.unit.isEmpty ? "" : "    \"unit\": \"\(key.unit)\",\n"
            return """
                  "\(key.name)": {
                    "value": \(text(json(key.standard))),
                    "default": \(text(json(key.standard))),
                \(unit)    "reason": \(text(.string(key.reason)))
                  }
                """
        }
        return "{\n" + keys.joined(separator: ",\n") + "\n}\n"
    }

    private static func page() -> String {
        let rows = ConfigurationKey.all.map { key in
            let unit = key.unit.isEmpty ? "" : " \(key.unit)"
            return """
                ## `\(key.name)`

                \(wrapped(key.reason))

                - Value: \(key.kind.expectation)\(unit).
                - Default: `\(text(json(key.standard)))`.
                - Flag `--\(key.name)`, variable `\(key.variable)`.

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
        the environment, the environment over the file, the file over the default.

        A file is one JSON object. A key has its value, or an object with the value as `value`,
        which may explain it with `default`, `unit` and `reason`;
        [Config/grove.json](../../Config/grove.json) says every key that way. An unknown key, or a
        value of another kind, ends the start with exit code 78 and a sentence that names the key
        and what would do. Unknown variables of the environment are passed over. In flags and
        variables, several texts are separated by commas.

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
