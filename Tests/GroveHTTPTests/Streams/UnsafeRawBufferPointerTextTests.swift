import Testing

@testable import GroveHTTP

@Suite("UnsafeRawBufferPointer: texts")
struct UnsafeRawBufferPointerTextTests {
    private func ask<Answer>(_ text: String, _ body: (UnsafeRawBufferPointer) -> Answer) -> Answer {
        Array(text.utf8).withUnsafeBytes(body)
    }

    @Test func `a text is found where it stands, and not beyond the end`() {
        #expect(ask("abc") { $0.begins(with: "ab") && $0.begins(with: "abc") })
        #expect(ask("abc") { $0.begins(with: "bc", at: 1) && $0.begins(with: "", at: 3) })
        #expect(!ask("abc") { $0.begins(with: "abcd") || $0.begins(with: "c", at: 3) })
        #expect(!ask("abc") { $0.begins(with: "ac") || $0.begins(with: "ab", at: 1) })
        #expect(!ask("") { $0.begins(with: "a") })
    }

    @Test func `the bytes after a text are the rest`() {
        #expect(ask("abc") { $0.after("ab").map { Array($0) } } == Array("c".utf8))
        #expect(ask("abc") { $0.after("abc")?.count } == 0)
        #expect(ask("abc") { $0.after("b")?.count } == nil)
    }
}
