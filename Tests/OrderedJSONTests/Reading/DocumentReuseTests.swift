import OrderedJSON
import Testing

/// One document for many texts.
@Suite struct DocumentReuseTests {
    @Test func `texts of any size follow each other, short after long`() throws {
        var document = JSONDocument()
        let sizes = [0, 1, 3, 200, 5000, 2, 70_000, 1, 0, 31, 32, 33, 63, 64, 65, 127, 128]
        for size in sizes {
            let text = "[" + (0..<size).map(String.init).joined(separator: ",") + "]"
            try Array(text.utf8).withUnsafeBytes { try document.parse($0) }
            #expect(document.count(document.root) == size)
            let numbers = document.elements(of: document.root).map { document.integer($0) }
            #expect(numbers == (0..<size).map { Int64($0) })
        }
    }

    @Test func `no part of an earlier text is left after a later one`() throws {
        var document = try parsed(#"{"op":"send","to":"counter/a-very-long-name-of-an-instance"}"#)
        // Without the zeros after the text, the old bytes would complete the new ones.
        for text in [#"{"op":"se"#, "[12", "tru", #"{"op":"send""#] {
            #expect(throws: JSONError(offset: text.utf8.count, reason: .endOfText)) {
                try Array(text.utf8).withUnsafeBytes { try document.parse($0) }
            }
        }
    }

    @Test func `a document can be used after an error`() throws {
        var document = JSONDocument()
        for _ in 0..<3 {
            #expect(throws: JSONError(offset: 1, reason: .endOfText)) {
                try Array("[".utf8).withUnsafeBytes { try document.parse($0) }
            }
            try Array("[7]".utf8).withUnsafeBytes { try document.parse($0) }
            #expect(document.value(document.root) == [7])
        }
    }

    @Test func `the tape grows in the middle of names and values alike`() throws {
        // Every number of nodes around the sizes at which room is made for more.
        for count in 50...140 {
            let members = (0..<count).map { "\"k\($0)\":[\($0),{\"x\":\"y\"}]" }
            let text = "[0,{" + members.joined(separator: ",") + "}]"
            let value = try JSONValue(parsing: Array(text.utf8))
            #expect(value.description == text)
        }
    }

    @Test func `an empty buffer is an empty text`() {
        var document = JSONDocument()
        #expect(throws: JSONError(offset: 0, reason: .endOfText)) {
            try document.parse(UnsafeRawBufferPointer(start: nil, count: 0))
        }
    }
}
