import GroveHTTP
import Testing

@Suite("WebSocketHandshake")
struct WebSocketHandshakeTests {
    private func accept(_ key: String) -> String? {
        WebSocketHandshake.accept(key: Array(key.utf8)).map { String(decoding: $0, as: UTF8.self) }
    }

    @Test(arguments: [
        // RFC 6455, section 1.3.
        ("dGhlIHNhbXBsZSBub25jZQ==", "s3pPLMBiTxaQ9kYGzzhZRbK+xOo="),
        ("x3JJHMbDL1EzLkh9GBhXDw==", "HSmrc0sMlYUkAGmm5OPpG2HaGWk="),
        ("AAAAAAAAAAAAAAAAAAAAAA==", "ICX+Yqv66kxgM0FcWaLWlFLwTAI="),
    ])
    func `a key is answered`(key: String, answer: String) {
        #expect(accept(key) == answer)
    }

    @Test(arguments: [
        "", "dGhlIHNhbXBsZSBub25jZQ", "dGhlIHNhbXBsZSBub25jZQ= ", " dGhlIHNhbXBsZSBub25jZQ=",
        "dGhlIHNhbXBsZSBub25jZQ==\n", "dGhlIHNhbXBsZSBub25jZTE=", "dGhlIHNhbXBsZSBub25jZTEy",
        "dGhlIHNhbXBsZSBub25j=Q==", "dGhlIHNhbXBsZSBub25-_Q==", "dGhlIHNhbXBsZSBub25jZR==",
        "====================ZQ==", "dGhlIHNhbXBsZSBub25jé==",
    ])
    func `a key that isn't the base64 of 16 bytes has no answer`(key: String) {
        #expect(accept(key) == nil)
    }

    @Test func `a key that is no UTF-8 has no answer`() {
        #expect(WebSocketHandshake.accept(key: [UInt8](repeating: 0xFF, count: 24)) == nil)
    }
}
