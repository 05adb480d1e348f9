import OrderedJSON

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
