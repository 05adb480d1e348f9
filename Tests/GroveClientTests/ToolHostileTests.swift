import Foundation
import GroveClient
import GroveTestSupport
import OrderedJSON
import Testing

/// Any text of a server or a file is only shown on a terminal: nothing moves the cursor, changes
/// colours or titles, or turns the direction of writing.
@Suite("grove and hostile text", .ownThreads, .timeLimit(.minutes(3)))
struct ToolHostileTests {
    /// The characters in JSON: those that JSON permits as they are, and escaped ones.
    private static let evil =
        "evil\u{9B}2J\u{9D}0;t\u{7F}\u{202E}\u{2066}\\u001b[2J\\u001b]0;t\\u0007\\b\\nforged"

    /// The server's answer to each op: members, or a whole `error`.
    private static let replies: [String: String] = {
        let text = "\"\(evil)\""
        let effect = """
            {"effect":1,"kind":\(text),"name":\(text),"id":\(text),"phase":"failed",\
            "reason":\(text),"to":\(text),"token":\(text),"type":\(text),"due":\(text)}
            """
        let instance = """
            "v":1,"state":\(text),"done":false,"definition":{"name":\(text),"version":\(text)},\
            "timers":[\(effect)],"effects":[\(effect)]
            """
        let health = """
            "health":{"live":true,"ready":true,"draining":false,"disk_full":false,\
            "stalled_ms":0,"more":\(text)}
            """
        return [
            "list": #""items":[{"to":\#(text),"v":1,"state":\#(text),"updated":\#(text)}],"#
                + #""next":\#(text)"#,
            "get": instance, "await": instance,
            "send": #""v":1,"cur":\#(text),"changed":true,"state":\#(text),"outputs":[\#(text)],"#
                + #""effects":[\#(effect)]"#,
            "create": #""v":0,"cur":\#(text),"state":\#(text),"outputs":[\#(text)]"#,
            "can": #""can":false,"reason":\#(text),"accepts":[\#(text)]"#,
            "describe": #""name":\#(text),"diagram":"a\n\#(evil)""#,
            "history": #""items":[{"v":1,"event":\#(text),"outputs":[\#(text)],"at":\#(text),"#
                + #""dedup":\#(text)}]"#,
            "effects": #""items":[\#(effect)]"#,
            "definitions": #""items":[{"name":\#(text),"version":\#(text),"hash":\#(text)}]"#,
            "stats": #""\#(evil)":1,"requests":2"#,
            "ping": #""time":\#(text),\#(health)"#,
            "batch": #""results":[{"error":{"code":\#(text),"message":\#(text),"data":\#(text)}}]"#,
            "subscribe": #""cur":\#(text),"first":\#(text)"#,
        ]
    }()

    /// Records that follow a subscription.
    private static let records: [String] = {
        let text = "\"\(evil)\""
        let head = #"{"sub":"s1","cur":\#(text),"to":\#(text),"v":1,"at":\#(text),"kind":"#
        return [
            #"{"sub":"s1","cur":"c","mark":"gap","from":"a","to":"b","reason":\#(text)}"#,
            head + #""output","type":\#(text),"data":\#(text)}"#,
            head + #""state","before":\#(text),"after":\#(text)}"#,
            head + #""lifecycle","lifecycle":\#(text),"reason":\#(text)}"#,
            head + #""effect","data":{"type":\#(text),"effect":1,"reason":\#(text)}}"#,
            head + #""trace","event":\#(text),"outputs":[\#(text)]}"#,
            head + #"\#(text),"\#(evil)":\#(text)}"#,
        ]
    }()

    /// A server that answers every request, on three connections.
    private func server(refuses: Bool = false) throws -> FakeServer {
        let script: FakeServer.Script = { connection in
            try connection.write(
                #"{"op":"hello","server":"grove","version":"\#(Self.evil)","proto":[1],"#
                    + #""node":"\#(Self.evil)"}"#)
            while let line = try connection.line() {
                let request = try JSONValue(parsing: Array(line.utf8))
                guard let op = request["op"]?.string, request["id"] != nil else { continue }
                if refuses, op != "hello" {
                    try connection.refuse(request, Self.evil, more: #","data":"\#(Self.evil)""#)
                    continue
                }
                // A list has one more page, which is empty.
                let isLast = op == "list" && request["after"] != nil
                try connection.reply(request, isLast ? #""items":[]"# : Self.replies[op] ?? "")
                if op == "subscribe" { for record in Self.records { try connection.write(record) } }
            }
        }
        return try FakeServer(script, script, script)
    }

    /// The terminal's output, without the tool's own control characters.
    private func shown(_ arguments: [String], _ server: FakeServer) throws -> String {
        try Terminal.run(arguments, server: server.address)
            .replacing(/\u{1B}\[(0|1|2|31|32|36)m/, with: "")
            .replacing(/\r[^\n\r]*\u{1B}\[K/, with: "")
    }

    private static func isHarmless(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x0A: true
        case 0..<0x20, 0x7F...0x9F, 0x061C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069: false
        default: true
        }
    }

    private func expectHarmless(_ text: String, _ arguments: [String]) {
        #expect(text.contains("evil"), "\(arguments): \(text)")
        let wrong = text.unicodeScalars.filter { !Self.isHarmless($0) }.map { $0.value }
        #expect(wrong.isEmpty, "\(arguments): \(wrong) in \(text.debugDescription)")
        let isForged = text.split(whereSeparator: \.isNewline).contains { $0.hasPrefix("forged") }
        // A diagram is a text of several lines.
        #expect(
            !isForged || arguments.first == "describe",
            "\(arguments): \(text.debugDescription)")
    }

    @Test(arguments: [
        "list", "get c/a", "await c/a", "send c/a go --reply full", "create c/a", "can c/a go",
        "describe c", "history c/a", "effects", "definitions", "stats --all", "stats --prometheus",
        "ping", "watch --count 6", "export", "export --history",
    ])
    func `a server's text can't control the terminal`(command: String) throws {
        let arguments = command.split(separator: " ").map(String.init)
        expectHarmless(try shown(arguments, try server()), arguments)
        guard !command.hasSuffix("--prometheus") else { return }
        let json = arguments + ["--json"]
        expectHarmless(try shown(json, try server()), json)
    }

    @Test(arguments: [
        "list", "get c/a", "send c/a go", "stop c/a", "delete c/a", "cancel c/a --effect 1",
        "retry c/a 1", "complete t --result 1", "health", "watch", "export", "backup",
    ])
    func `a refusal's text can't control the terminal`(command: String) throws {
        let folder = FileManager.default.temporaryDirectory
        let file = folder.appendingPathComponent("hostile-\(UUID().uuidString)").path
        let words = command.split(separator: " ").map(String.init)
        let arguments = words + (command == "backup" ? [file] : [])
        for flags in [[], ["--json"]] {
            expectHarmless(
                try shown(arguments + flags, try server(refuses: true)), arguments + flags)
        }
    }

    @Test func `a file's text can't control the terminal`() throws {
        let folder = FileManager.default.temporaryDirectory
        let file = folder.appendingPathComponent("hostile-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: file) }
        let raw = "evil\u{1B}[2J\u{9B}1m\u{202E}"
        let lines = [
            "\(raw) go", #"{"to":"c/a","v":1,"state":"\#(Self.evil)"}"#, raw,
            #"{"to":"c/a","event":"\#(Self.evil)"}"#, #"{"\#(raw)":1}"#, #"{"evil":1}"#,
        ]
        try Data(lines.joined(separator: "\n").utf8).write(to: file)
        for arguments in [
            ["batch", file.path, "--skip-broken"], ["import", file.path],
            ["check-data", file.path],
        ] {
            let text = try shown(arguments, try server(refuses: true))
            let wrong = text.unicodeScalars.filter { !Self.isHarmless($0) }
            #expect(wrong.isEmpty && !text.isEmpty, "\(arguments): \(text.debugDescription)")
        }
    }

    @Test func `a shell completes nothing but names`() async throws {
        let server = try FakeServer { connection in
            try connection.greet()
            try connection.reply(
                try connection.request("definitions"),
                #""items":[{"name":"good"},{"name":"$(evil)"},{"name":"\#(Self.evil)"}]"#)
            try connection.awaitClose()
        }
        let outcome = try await Tool.run(
            "---completion", "get", "--", "positional@0", "2", "0", "grove", "get", "",
            server: server.address)
        #expect(outcome.output.contains("good/") && !outcome.output.contains("evil"))
    }
}
