import GroveTestSupport
import OrderedJSON
import Testing

/// Every block `session` of the documentation is a dialogue with a fresh server: `>` marks what
/// is sent and `<` what must come back, in this order.
@Suite("Sessions of the documentation", .serialized, .timeLimit(.minutes(5)))
struct SessionTests {
    @Test(arguments: Documentation.blocks("session"))
    func `the session of a page is the server's`(block: Page.Block) throws {
        let folder = try TemporaryFolder()
        let server = try ServerProcess(data: folder.path("grove.db"))
        let client = try LineClient(port: server.port)
        for (offset, line) in block.lines.enumerated() {
            let text = String(line.dropFirst(2))
            if line.hasPrefix("> ") {
                try client.send(text)
                continue
            }
            let place = "\(block.path):\(block.line + offset + 1)"
            let received = try client.readLine()
            let actual = try JSONValue(parsing: Array(received.utf8))
            let difference = try JSONPattern(text).difference(from: actual)
            #expect(difference == nil, "\(place): the server says \(received)")
        }
    }
}
