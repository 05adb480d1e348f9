import Testing

@testable import GroveBench

@Suite("ReplyLine")
struct ReplyLineTests {
    private func described(_ line: String) -> String {
        let reply = Array(line.utf8).withUnsafeBytes { ReplyLine($0) }
        return switch reply {
        case .done(let id): "done \(id)"
        case .refused(let id): "refused \(id.map { "\($0)" } ?? "-")"
        case .heartbeat: "heartbeat"
        case .other: "other"
        }
    }

    @Test(arguments: [
        (#"{"id":17,"ok":true,"v":3}"#, "done 17"),
        (#"{"id":18,"error":{"code":"REJECTED"}}"#, "refused 18"),
        (#"{"id":null,"error":{"code":"LINE_TOO_LONG"}}"#, "refused -"),
        (#"{"op":"ping"}"#, "heartbeat"),
        (#"{"op":"hello"}"#, "other"),
        (#"{"id":17,"ok":tru"#, "refused 17"),
        ("", "other"),
    ])
    func `a line is recognized by its first bytes`(line: String, expected: String) {
        #expect(described(line) == expected)
    }

    @Test func `a value is found by its key`() {
        Array(#"{"id":1,"ok":true,"v":42,"dup":true}"#.utf8).withUnsafeBytes { line in
            let version = ReplyLine.value(in: line, after: "\"v\":", until: ",}")
            #expect(version.map { String(decoding: $0, as: UTF8.self) } == "42")
            #expect(ReplyLine.value(in: line, after: "\"w\":", until: ",}") == nil)
            #expect(ReplyLine.isDuplicate(line))
        }
        Array(#"{"id":1,"ok":true,"v":42}"#.utf8).withUnsafeBytes { line in
            #expect(!ReplyLine.isDuplicate(line))
        }
    }
}
