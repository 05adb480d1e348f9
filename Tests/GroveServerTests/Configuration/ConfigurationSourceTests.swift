import Foundation
import GroveProtocol
import GroveTestSupport
import OrderedJSON
import Testing

@testable import GroveServer

@Suite("ConfigurationSource")
struct ConfigurationSourceTests {
    @Test func `each value is shown with its origin`() throws {
        let folder = try TemporaryFolder()
        let path = folder.path("grove.json")
        try Data("{\n\"max-line\":1000,\n\"node\":\"n\"}".utf8).write(to: URL(filePath: path))
        let configuration = try ServerConfiguration.load(
            ConfigurationSource(
                file: path, environment: ["GROVE_NODE": "m", "GROVE_MAX_LINE": "2000"],
                flags: ["max-line": "3000"],
                defaults: ["data": "shop.db", "max-line": "4000", "node": "o"]))
        let origins = Dictionary(
            uniqueKeysWithValues: configuration.settings.map { ($0.key, "\($0.origin)") })
        #expect(origins["max-line"] == "--max-line")
        #expect(origins["node"] == "GROVE_NODE")
        #expect(origins["data"] == "program")
        #expect(origins["listen"] == "default")
        #expect(configuration.options.limits.lineBytesMax == 3_000)
        #expect(configuration.options.store.name == "shop.db")
        #expect(configuration.settings.map(\.key) == ConfigurationKey.all.map(\.name))
        let onlyFile = try ServerConfiguration.load(ConfigurationSource(file: path))
        let setting = try #require(onlyFile.settings.first { $0.key == "node" })
        #expect(setting.origin == .file(path, line: 3) && setting.value == "n")
    }

    @Test func `an origin is shown as people write it`() {
        let origins: [ConfigurationOrigin] = [
            .standard, .program, .file("/a/g.json", line: 7), .variable("GROVE_NODE"),
            .flag("node"),
        ]
        #expect(
            origins.map(\.description) == [
                "default", "program", "/a/g.json, line 7", "GROVE_NODE", "--node",
            ])
        let setting = ConfigurationSetting(key: "node", value: "n", origin: .standard)
        #expect(ServerConfiguration().settings.contains(setting) == false)
        #expect(ServerConfiguration().settings.allSatisfy { $0.origin == .standard })
    }

    @Test func `the program's values are checked like all others`() {
        let source = ConfigurationSource(defaults: ["max-line": "x", "colour": "red"])
        #expect(throws: ConfigurationError.self) { try ServerConfiguration.load(source) }
        #expect(source.read().problems.map(\.place) == ["program", "program"])
    }

    @Test(arguments: [
        ("GROVE_MAX_LINES", "GROVE_MAX_LINE"), ("GROVE_MAXLINE", "GROVE_MAX_LINE"),
        ("GROVE_MXA_LINE", "GROVE_MAX_LINE"), ("GROVE_LISTNE", "GROVE_LISTEN"),
        ("GROVE_MODE", "GROVE_NODE"), ("GROVE_DATE", "GROVE_DATA"),
        ("GROVE_HTTP_ALOW", "GROVE_HTTP_ALLOW"),
    ])
    func `a variable that resembles a key's is refused`(name: String, meant: String) {
        let problems = ConfigurationSource(environment: [name: "1"]).read().problems
        #expect(problems.map(\.key) == [name])
        #expect(problems.first?.message.contains("did you mean \(meant)?") == true)
    }

    @Test(arguments: [
        "GROVE_PORT", "GROVE_PORT_7400_TCP", "GROVE_SERVICE_HOST", "GROVE_DATA_PORT", "GROVE_HOME",
        "GROVE_CONFIG", "GROVE_SERVER", "GROVE_TOKEN", "GROVE_CONFORMANCE", "MAX_LINE", "GROVE_",
    ])
    func `a variable of other software is ignored`(name: String) {
        #expect(ConfigurationSource(environment: [name: "1"]).read().problems.isEmpty)
    }

    @Test func `a value with its explanation is a member of a file again`() throws {
        let key = try #require(ConfigurationKey.named("max-line"))
        let member = key.member(.integer(5_000), origin: .variable("GROVE_MAX_LINE"))
        let file = JSONValue.object(["max-line": .object(member)])
        let read = ConfigurationFile(file.serialized(), name: "f")
        #expect(read.problems.isEmpty && read.settings.map(\.value) == [.integer(5_000)])
        #expect(member["origin"] == "GROVE_MAX_LINE" && member["reload"] == true)
        #expect(ConfigurationKey.text(true) == "true")
        #expect(ConfigurationKey.text(["a", "b"]) == "a,b")
    }
}
