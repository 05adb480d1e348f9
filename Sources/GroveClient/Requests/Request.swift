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

    /// The instance it is about: the field `to`. Requests about one instance keep their order.
    public private(set) var instance: String?
    private(set) var hasKey = false
    /// Whether the request asks the server to wait before it answers.
    private(set) var waitsOnServer = false
    /// The longest wait of the server, `timeout_ms` in the line; `nil` is the server's own bound.
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

    /// Adds a field. The client sets `op` and `id` itself; the server refuses a name that was added
    /// twice as a duplicate key.
    public mutating func set(_ name: String, _ value: JSONValue) {
        begin(name)
        fields.value(value)
        if name == "to" { instance = value.string }
        if name == "dedup" { hasKey = true }
    }

    /// Adds a field whose value is JSON text, which is sent unchanged. It must be one valid JSON
    /// value without newlines, or the server refuses the line.
    public mutating func set(_ name: String, text: some Collection<UInt8>) {
        begin(name)
        fields.raw(text)
    }

    /// Asks the server to wait before it answers, for `wait` at most; `nil` for the server's bound.
    mutating func setWait(_ wait: Duration?) {
        waitsOnServer = true
        self.wait = wait
    }

    /// Whether the same request can be sent again when the outcome of the first is unknown: it
    /// has a dedup key, or only reads. Set it where neither shows, as in a `batch` whose items
    /// have keys.
    public var isRepeatable: Bool {
        get { repeatability ?? (hasKey || isReading) }
        set { repeatability = newValue }
    }

    /// Whether it changes nothing.
    var isReading: Bool { known?.traits.reads ?? false }

    /// Whether the client adds a dedup key to it.
    var wantsKey: Bool { !hasKey && known?.traits.getsKey ?? false }

    /// The approximate length of its line.
    var byteCount: Int { fields.bytes.count + op.utf8.count + 32 }

    private mutating func begin(_ name: String) {
        fields.comma()
        fields.string(name)
        fields.bytes.append(UInt8(ascii: ":"))
    }

    /// The fields without the op, as an object.
    var fieldsText: [UInt8] {
        [UInt8(ascii: "{")] + fields.bytes.dropFirst() + [UInt8(ascii: "}")]
    }

    /// The line to send, newline included. Without an `id` the server doesn't reply.
    ///
    /// - Parameter elapsed: The part of the server's wait that is over, for a request that is sent
    ///   again.
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

extension Request {
    /// A request about the instance `name`, `machine/instance`.
    public static func about(_ name: String, _ op: String) -> Request {
        Request(op).with("to", name)
    }

    /// A request about the instance `name`, `machine/instance`.
    package static func about(_ name: String, _ op: Op) -> Request {
        Request(op).with("to", name)
    }

    /// Returns the request with a field; unchanged for `nil`.
    consuming func with(_ name: String, _ value: JSONValue?) -> Request {
        if let value { set(name, value) }
        return self
    }

    /// Returns the request with a field; unchanged for `nil`.
    consuming func with(_ name: String, _ text: String?) -> Request {
        with(name, text.map(JSONValue.string))
    }

    /// Returns the request with a field; unchanged for `nil`.
    consuming func with(_ name: String, _ number: (some BinaryInteger)?) -> Request {
        with(name, number.map { .integer(Int64($0)) })
    }
}

extension Duration {
    /// Whole milliseconds, rounded up, so that a wait never ends too early.
    fileprivate var wholeMilliseconds: Int64 {
        let (seconds, attoseconds) = components
        let unit: Int64 = 1_000_000_000_000_000
        let rest = attoseconds / unit + (attoseconds % unit > 0 ? 1 : 0)
        return min(seconds, .max / 2_000) * 1_000 + rest
    }
}
