import Foundation
import Testing

@testable import GroveEffects

@Suite("SecretValue: the value of a secret")
struct SecretValueTests {
    /// Reads a value from a file with these bytes and permissions.
    private func value(_ text: String, mode: Int = 0o600) async throws -> SecretValue {
        try await withFile(text) { path in
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
            return try SecretValue(path: path)
        }
    }

    private func text(_ value: SecretValue) -> String {
        value.withBytes { String(decoding: $0, as: UTF8.self) }
    }

    @Test(arguments: ["sk_live_1", "sk_live_1\n", "sk_live_1\r\n"])
    func `a value is a file without the end of its line`(content: String) async throws {
        for mode in [0o400, 0o600, 0o440] {
            #expect(text(try await value(content, mode: mode)) == "sk_live_1")
        }
    }

    @Test(arguments: [
        ("", "is empty"), ("\n", "is empty"), ("zq\ncd", "has more than one line"),
        ("zq\n\n", "has more than one line"), ("zq\rcd", "has more than one line"),
        ("zq\u{0}cd", "isn't printable ASCII"), ("käse", "isn't printable ASCII"),
        (" zq", "begins or ends with a blank"), ("zq \n", "begins or ends with a blank"),
    ])
    func `a value that no header can have is refused, and not shown`(
        content: String, problem: String
    ) async throws {
        let error = await #expect(throws: SecretProblem.self) { try await value(content) }
        let shown = try #require(error?.description.split(separator: ".pem").last)
        #expect(shown.contains(problem) && !shown.contains("zq") && !shown.contains("käse"))
    }

    @Test func `the longest value has 4,096 bytes`() async throws {
        let longest = String(repeating: "x", count: SecretValue.bytesMax)
        #expect(try await value(longest + "\r\n").count == 4_096)
        for longer in [longest + "x", longest + "xxxxxx\n"] {
            let error = await #expect(throws: SecretProblem.self) { try await value(longer) }
            #expect(error?.description.contains("has more than 4096 bytes") == true)
        }
    }

    @Test(arguments: [0o644, 0o604, 0o620, 0o666, 0o601])
    func `a file that other users can read or change is refused`(mode: Int) async throws {
        let error = await #expect(throws: SecretProblem.self) {
            try await value("sk_live_1", mode: mode)
        }
        #expect(error?.description.contains("chmod 600") == true)
    }

    @Test func `a missing file and a folder are refused`() {
        for (path, problem) in [("/none/at/all", "can't be read: No such"), ("/tmp", "is no file")]
        {
            let error = #expect(throws: SecretProblem.self) { try SecretValue(path: path) }
            #expect(error?.description.contains(problem) == true)
        }
    }

    @Test func `neither a description nor a dump shows a value`() async throws {
        let value = try await value("sk_live_canary")
        var secrets = EffectSecrets()
        secrets.add(
            try SecretGrant("stripe hosts=a.b machines=m") { _ in true }, value)
        var options = HTTPOptions()
        options.secrets = secrets
        var text = "\(value) \(secrets) \(options) \(String(reflecting: value))"
        dump(value, to: &text)
        dump(options, to: &text)
        #expect(!text.contains("canary"))
        #expect("\(value)" == "[secret]")
        #expect(!((value as Any) is any Encodable))
    }

    @Test func `memory is overwritten`() {
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 16, alignment: 1)
        defer { memory.deallocate() }
        memory.copyBytes(from: repeatElement(7, count: 16))
        SecretValue.overwrite(memory)
        #expect(memory.allSatisfy { $0 == 0 })
    }
}
