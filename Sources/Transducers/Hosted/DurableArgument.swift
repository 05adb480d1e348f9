import OrderedJSON

/// A value that is encoded as JSON when it is stored.
@usableFromInline
struct DurableArgument: Sendable {
    private let write: @Sendable (inout JSONWriter) throws(JSONEncodingError) -> Void

    @usableFromInline
    init(_ value: some Encodable & Sendable) {
        write = { (writer) throws(JSONEncodingError) in
            try JSONCoding.encode(value, into: &writer)
        }
    }

    /// The value as JSON.
    ///
    /// - Throws: `JSONEncodingError`, or `JSONError` for a value nested too deeply.
    func value() throws -> JSONValue {
        var writer = JSONWriter()
        try write(&writer)
        return try JSONValue(parsing: writer.bytes, limits: .stored)
    }
}
