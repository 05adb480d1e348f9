import GroveHTTP
import Testing

@Suite("WebSocketReader: close frames")
struct WebSocketCloseTests {
    @Test func `a close frame may be empty`() {
        #expect(read(ClientFrame(0x8)) == [.close(nil, "")])
    }

    @Test func `half a code is refused`() {
        #expect(read(ClientFrame(0x8, [3])) == [.failure(1002)])
    }

    @Test(arguments: [
        1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 1012, 1013, 1014, 3000, 3999, 4000,
        4999,
    ])
    func `a code that may be sent is accepted`(code: Int) {
        #expect(read(.close(code)) == [.close(code, "")])
        #expect(read(.close(code, Array("Hello".utf8))) == [.close(code, "Hello")])
    }

    @Test(arguments: [
        0, 1, 999, 1004, 1005, 1006, 1015, 1016, 1100, 2000, 2999, 5000, 9999, 65_535,
    ])
    func `a code that may not be sent is refused`(code: Int) {
        #expect(read(.close(code)) == [.failure(1002)])
        #expect(read(.close(code, Array("Hello".utf8))) == [.failure(1002)])
    }

    @Test func `the longest reason fits, one byte more doesn't`() {
        let reason = String(repeating: "*", count: 123)
        #expect(read(.close(1000, Array(reason.utf8))) == [.close(1000, reason)])
        #expect(read(.close(1000, Array((reason + "*").utf8))) == [.failure(1002)])
    }

    @Test(arguments: [[0xCE], [0xCE, 0xBA, 0xED, 0xA0, 0x80], [0xFF]] as [[UInt8]])
    func `a reason that is no UTF-8 is refused`(reason: [UInt8]) {
        #expect(read(.close(1000, reason)) == [.failure(1007)])
        let bytes = ClientFrame.close(1000, reason).bytes
        #expect(read(bytes.map { [$0] }) == [.failure(1007)])
    }

    @Test func `a reason may have newlines`() {
        #expect(read(.close(1000, Array("ä\nb".utf8))) == [.close(1000, "ä\nb")])
    }

    @Test func `what follows a close frame is ignored`() {
        let said = read(
            .text("last"), .close(1001), .ping("x"), .text("no"), .close(1000), ClientFrame(0x3))
        #expect(said == [.text("last"), .close(1001, "")])
    }

    @Test func `after a close frame nothing is kept`() {
        var reader = WebSocketReader(messageBytesMax: 100)
        #expect(reader.said(of: ClientFrame.beginning("half").bytes) == [])
        #expect(reader.said(of: ClientFrame.close(1000).bytes) == [.close(1000, "")])
        #expect(!reader.isInsideMessage)
        #expect(reader.carriedBytes == 0)
        #expect(reader.said(of: ClientFrame.text("no").bytes) == [])
        #expect(reader.carriedBytes == 0)
    }
}
