import OrderedJSON

/// One request to the server: an op and its fields, in the order they were added.
///
/// The typed calls of ``Client`` make these; make one yourself for an op or a field that has no
/// call. They are listed in protocol.md, "Requests and replies".
///
/// ```swift
/// var request = Request("history")
/// request.set("to", .string("order/o-1"))
/// request.set("limit", .integer(10))
/// let reply = try await client.request(request)
/// ```
public struct Request: Sendable {
    /// The word in `"op"`.
    public let op: String
    private var fields = JSONWriter()

    /// A request with no fields yet.
    public init(_ op: String) { self.op = op }

    /// Adds a field. The client sets `op` and `id` itself; a name added twice is refused by the
    /// server as a duplicate key.
    public mutating func set(_ name: String, _ value: JSONValue) {
        begin(name)
        fields.value(value)
    }

    /// Adds a field whose value is JSON text already, which is sent as it is. It must be one
    /// valid JSON value without newlines, or the server refuses the line.
    public mutating func set(_ name: String, text: some Collection<UInt8>) {
        begin(name)
        fields.raw(text)
    }

    private mutating func begin(_ name: String) {
        fields.bytes.append(UInt8(ascii: ","))
        fields.string(name)
        fields.bytes.append(UInt8(ascii: ":"))
    }

    /// The fields alone, as an object.
    var fieldsText: [UInt8] {
        [UInt8(ascii: "{")] + fields.bytes.dropFirst() + [UInt8(ascii: "}")]
    }

    /// The line to send, newline included. Without an `id` the server doesn't reply.
    func line(id: Int64?) -> [UInt8] {
        var writer = JSONWriter(capacity: fields.bytes.count + op.utf8.count + 32)
        writer.literal("{\"op\":")
        writer.string(op)
        if let id {
            writer.literal(",\"id\":")
            writer.integer(id)
        }
        writer.raw(fields.bytes)
        writer.literal("}\n")
        return writer.bytes
    }
}
