import Foundation
import GroveProtocol
import GroveTestSupport
import GroveWire
import OrderedJSON
import Testing

@Suite("coverage of the golden conversations")
struct CoverageTests {
    /// Codes of the list that nothing in this release answers with.
    static let reserved: Set<ErrorCode> = [.notOwner, .unavailable, .internalError]

    @Test(arguments: ErrorCode.allCases)
    func `every error code has a conversation`(code: ErrorCode) throws {
        let isShown = try GoldenFolder.names().contains { name in
            try GoldenFolder.read(name).text.contains("\"code\":\"\(code.rawValue)\"")
        }
        let hasFile = try GoldenFolder.names().contains("errors/\(code.rawValue)")
        if Self.reserved.contains(code) {
            #expect(!isShown && !hasFile, "\(code.rawValue) is answered now: take it off the list")
        } else {
            #expect(isShown && hasFile, "write Golden/errors/\(code.rawValue).txt")
        }
    }

    @Test func `every op has a conversation`() throws {
        let names = try GoldenFolder.names()
        for op in try Self.ops() {
            #expect(names.contains("ops/\(op)"), "write Golden/ops/\(op).txt")
            guard names.contains("ops/\(op)") else { continue }
            #expect(try GoldenFolder.read("ops/\(op)").text.contains("\"op\":\"\(op)\""))
        }
    }

    @Test func `every conversation ends with a newline and has content`() throws {
        for name in try GoldenFolder.names() {
            let text = try GoldenFolder.read(name).text
            #expect(text.hasPrefix("# ") && text.hasSuffix("\n"), "\(name)")
        }
    }

    /// The ops that the server says it knows.
    private static func ops() throws -> [String] {
        let conversation = try Conversation(
            name: "ops", text: #"> {"op":"?","id":1}"# + "\n")
        let player = ConversationPlayer(conversation)
        try player.play()
        let reply = try JSONValue(parsing: Array((player.transcript.last ?? "").utf8.dropFirst(2)))
        let message = reply["error"]?["message"]?.string ?? ""
        let list = message.replacingOccurrences(of: "known ops are ", with: "")
        let ops = list.components(separatedBy: ", ")
        guard ops.count > 10 else { throw TestProblem("no list of ops in: \(message)") }
        return ops
    }
}
