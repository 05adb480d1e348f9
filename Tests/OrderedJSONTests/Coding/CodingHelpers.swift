import OrderedJSON
import Testing

/// The text that `value` is encoded as. It is the same in memory that other values have left.
func encoded(_ value: some Encodable) throws -> String {
    var writer = JSONWriter()
    try JSONCoding.encode(value, into: &writer)
    var memory = EncodingMemory()
    for _ in 0..<2 {
        var other = JSONWriter()
        try JSONCoding.encode(["before": [1]], into: &other, using: &memory)
        var again = JSONWriter()
        try JSONCoding.encode(value, into: &again, using: &memory)
        #expect(again.bytes == writer.bytes)
    }
    return String(decoding: writer.bytes, as: UTF8.self)
}

/// The value that the whole of `text` is decoded to.
func decoded<T: Decodable>(_ type: T.Type, _ text: String) throws -> T {
    let document = try JSONDocument(parsing: Array(text.utf8))
    return try JSONCoding.decode(type, from: document, at: document.root)
}

/// Expects `value` to be written as `text` and read back from it.
func expectRoundTrip<T: Codable & Equatable>(
    _ value: T, _ text: String, sourceLocation: SourceLocation = #_sourceLocation
) throws {
    #expect(try encoded(value) == text, sourceLocation: sourceLocation)
    #expect(try decoded(T.self, text) == value, sourceLocation: sourceLocation)
}

/// The error of decoding `text`; nil, and a failed test, if it can be decoded.
func decodingError<T: Decodable>(
    _ type: T.Type, _ text: String, sourceLocation: SourceLocation = #_sourceLocation
) throws -> JSONDecodingError? {
    let document = try JSONDocument(parsing: Array(text.utf8))
    do {
        let value = try JSONCoding.decode(type, from: document, at: document.root)
        Issue.record("decoded: \(value)", sourceLocation: sourceLocation)
        return nil
    } catch {
        return error
    }
}

/// The error of encoding `value`; nil, and a failed test, if it can be encoded. Whatever stood
/// in the writer must stay.
func encodingError(
    _ value: some Encodable, sourceLocation: SourceLocation = #_sourceLocation
) -> JSONEncodingError? {
    var writer = JSONWriter()
    writer.literal("[1,")
    do {
        try JSONCoding.encode(value, into: &writer)
        let text = String(decoding: writer.bytes, as: UTF8.self)
        Issue.record("encoded: \(text)", sourceLocation: sourceLocation)
        return nil
    } catch {
        #expect(writer.bytes == Array("[1,".utf8), sourceLocation: sourceLocation)
        expectSameError(value, error, sourceLocation)
        return error
    }
}

/// Expects `error` in used memory too, which then serves the next value.
private func expectSameError(
    _ value: some Encodable, _ error: JSONEncodingError, _ sourceLocation: SourceLocation
) {
    var memory = EncodingMemory()
    var writer = JSONWriter()
    #expect(sourceLocation: sourceLocation) {
        try JSONCoding.encode(["before": [1]], into: &writer, using: &memory)
        try JSONCoding.encode(value, into: &writer, using: &memory)
    } throws: {
        $0 as? JSONEncodingError == error
    }
    #expect(throws: Never.self, sourceLocation: sourceLocation) {
        try JSONCoding.encode(["after": [2]], into: &writer, using: &memory)
    }
    let text = String(decoding: writer.bytes, as: UTF8.self)
    #expect(text == #"{"before":[1]}{"after":[2]}"#, sourceLocation: sourceLocation)
}
