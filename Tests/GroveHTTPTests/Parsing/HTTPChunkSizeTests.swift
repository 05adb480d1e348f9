import Testing

@testable import GroveHTTP

@Suite("HTTPChunkSize")
struct HTTPChunkSizeTests {
    private func read(_ text: String) throws(HTTPRefusal) -> (Int, Int) {
        let bytes = Array(text.utf8)
        return try HTTPChunkSize.read(bytes.span)
    }

    @Test(arguments: [
        ("0", 0, 0), ("00000000", 0, 0), ("a", 10, 0), ("Ff", 255, 0),
        ("ffffffff", 4_294_967_295, 0),
        ("1;a", 1, 2), ("1 ; a", 1, 4), ("1;a=b", 1, 4), ("1;a=\"\"", 1, 5),
        ("1;a=\"b c\\\"\"", 1, 10),
        ("1;a\t=\tb;c", 1, 8), ("1;a=\"\u{e4}\\\u{e4}\"", 1, 10), ("1;a;b;c", 1, 6),
    ])
    func `a size may have extensions`(text: String, size: Int, extensionBytes: Int) throws {
        let line = try read(text)
        #expect(line == (size, extensionBytes))
    }

    @Test(arguments: [
        "", " 1", "+1", "-1", "0x1", "g", "1g", "100000000", "000000001", "1 ", "1\t", "1 a", "1,a",
        "1;", "1; ", "1;;", "1;a;", "1;a ", "1;a=", "1;a= ", "1;=b", "1;a=b=c", "1;a=b c", "1;a=\"",
        "1;a=\"b", "1;a=\"\\", "1;a=\"\\\"", "1;a=\"b\"c", "1;a=\"\0\"", "1;a=\"\\\0\"", "1;a\0",
        "1;\"a\"", "1;a=b\u{7f}", "1;ä",
    ])
    func `all else is refused`(text: String) {
        let refusal = #expect(throws: HTTPRefusal.self) { try read(text) }
        #expect(refusal?.status == 400)
    }
}
