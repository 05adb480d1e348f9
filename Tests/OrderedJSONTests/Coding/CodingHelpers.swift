import OrderedJSON
import Testing

/// The text that `value` is encoded as.
func encoded(_ value: some Encodable) throws -> String {
    var writer = JSONWriter()
    try JSONCoding.encode(value, into: &writer)
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
        return error
    }
}
