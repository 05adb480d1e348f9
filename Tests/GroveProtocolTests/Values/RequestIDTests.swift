import Testing

@testable import GroveProtocol

@Suite("RequestID")
struct RequestIDTests {
    private func echo(_ text: String) -> String {
        let id = Array(text.utf8).withUnsafeBytes { RequestID($0) }
        var bytes: [UInt8] = []
        id.append(to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test func `ids of every length are echoed unchanged`() {
        for length in 0...40 {
            let text = String("\"abcdefghijklmnopqrstuvwxyz0123456789ABCD\"".prefix(length))
            #expect(echo(text) == text)
        }
        #expect(echo("-9007199254740991") == "-9007199254740991")
        #expect(echo("\"\\u0041\"") == "\"\\u0041\"")
    }

    @Test func `ids are equal when their bytes are`() {
        func id(_ text: String) -> RequestID { Array(text.utf8).withUnsafeBytes { RequestID($0) } }
        #expect(id("7") == id("7"))
        #expect(id("7") != id("\"7\""))
        #expect(id("\"0123456789abcdef\"") == id("\"0123456789abcdef\""))
        #expect(id("0") != id(""))
    }
}
