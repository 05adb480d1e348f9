import OrderedJSON

/// A successful reply, with every field the server sent.
public struct Reply: Sendable {
    /// The whole line.
    public let document: JSONDocument

    init(_ document: JSONDocument) { self.document = document }

    /// The place of a field; `nil` when the reply has none of that name.
    public func node(_ name: StaticString) -> JSONDocument.Node? {
        document.member(name, of: document.root)
    }

    /// A field as a string; `nil` when it is missing or of another type.
    public func string(_ name: StaticString) -> String? { node(name).flatMap(document.string) }

    /// A field as an integer; `nil` when it is missing or of another type.
    public func integer(_ name: StaticString) -> Int64? { node(name).flatMap(document.integer) }

    /// A field as a truth value; `nil` when it is missing or of another type.
    public func bool(_ name: StaticString) -> Bool? { node(name).flatMap(document.bool) }

    /// A field as a JSON value; `nil` when it is missing.
    public func value(_ name: StaticString) -> JSONValue? { node(name).map(document.value) }

    /// The reply as one JSON object without `id` and `ok`, every field as the server wrote it.
    public var text: [UInt8] { document.text(of: document.root, without: ["id", "ok"]) }

    /// A field that a reply of this kind must have.
    func require<Value>(_ name: StaticString, _ value: Value?) throws(ClientError) -> Value {
        if let value { return value }
        throw ClientError.protocolViolation("a reply without a usable \"\(name)\"")
    }
}

extension JSONDocument {
    /// The limits for lines of a server: a reply nests an event deeper than the request did, and
    /// a page may hold many values.
    static func limits(lineBytesMax: Int) -> JSONLimits {
        JSONLimits(depthMax: 128, bytesMax: lineBytesMax, valuesMax: 16_000_000)
    }

    /// The object at `node` again, member by member as it stands, but for those in `names`.
    func text(of node: Node, without names: [StaticString]) -> [UInt8] {
        var text: [UInt8] = [UInt8(ascii: "{")]
        for (name, value) in members(of: node)
        where !names.contains(where: { stringEquals(name, $0) }) {
            if text.count > 1 { text.append(UInt8(ascii: ",")) }
            text += self.text(name)
            text.append(UInt8(ascii: ":"))
            text += self.text(value)
        }
        text.append(UInt8(ascii: "}"))
        return text
    }
}
