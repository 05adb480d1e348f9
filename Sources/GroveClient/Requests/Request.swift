import GroveWire
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
    /// The op, if it is one that this version of the client knows.
    let known: Op?
    private var fields = JSONWriter()
    private var repeatability: Bool?

    /// The instance it is about: what was set as `to`. Requests about one instance keep their
    /// order.
    public private(set) var instance: String?
    /// Whether it has a dedup key.
    private(set) var hasKey = false
    /// Whether the server may take its time to answer, because it was asked to wait.
    private(set) var isPatient = false
    /// How long the server waits at most; it stands in the line as `timeout_ms`.
    private(set) var wait: Duration?

    /// A request with no fields yet.
    public init(_ op: String) {
        self.op = op
        known = Op(rawValue: op)
    }

    /// A request with no fields yet.
    package init(_ op: Op) {
        self.op = op.rawValue
        known = op
    }

    /// Adds a field. The client sets `op` and `id` itself; a name added twice is refused by the
    /// server as a duplicate key.
    public mutating func set(_ name: String, _ value: JSONValue) {
        begin(name)
        fields.value(value)
        if name == "to" { instance = value.string }
        if name == "dedup" { hasKey = true }
    }

    /// Adds a field whose value is JSON text already, which is sent as it is. It must be one
    /// valid JSON value without newlines, or the server refuses the line.
    public mutating func set(_ name: String, text: some Collection<UInt8>) {
        begin(name)
        fields.raw(text)
    }

    /// Asks the server to wait before it answers: at most so long, or as long as it does of its
    /// own accord.
    mutating func setWait(_ wait: Duration?) {
        isPatient = true
        self.wait = wait
    }

    /// Whether the same request can be sent again although nobody knows what became of the first:
    /// it has a dedup key, or only reads. Set it where neither shows, as in a `batch` whose items
    /// have keys.
    public var isRepeatable: Bool {
        get { repeatability ?? (hasKey || isReading) }
        set { repeatability = newValue }
    }

    /// Whether it changes nothing.
    var isReading: Bool { known?.traits.reads ?? false }

    /// Whether the client adds a dedup key to it.
    var wantsKey: Bool { !hasKey && known?.traits.getsKey ?? false }

    /// About how many bytes its line has.
    var byteCount: Int { fields.bytes.count + op.utf8.count + 32 }

    private mutating func begin(_ name: String) {
        fields.comma()
        fields.string(name)
        fields.bytes.append(UInt8(ascii: ":"))
    }

    /// The fields alone, as an object.
    var fieldsText: [UInt8] {
        [UInt8(ascii: "{")] + fields.bytes.dropFirst() + [UInt8(ascii: "}")]
    }

    /// The line to send, newline included. Without an `id` the server doesn't reply.
    ///
    /// - Parameter elapsed: how much of the time that the server waits is over already, for a
    ///   request that is sent again.
    func line(id: Int64?, after elapsed: Duration = .zero) -> [UInt8] {
        var writer = JSONWriter(capacity: fields.bytes.count + op.utf8.count + 32)
        writer.literal("{\"op\":")
        writer.string(op)
        writer.member("id", id)
        writer.raw(fields.bytes)
        if let wait {
            writer.member("timeout_ms", max(1, (wait - elapsed).wholeMilliseconds))
        }
        writer.literal("}\n")
        return writer.bytes
    }
}
