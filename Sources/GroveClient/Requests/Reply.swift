import OrderedJSON

/// A successful reply, with every field the server sent.
public struct Reply: Sendable {
    let fields: Fields

    /// The whole line.
    public var document: JSONDocument { fields.document }

    package init(_ document: JSONDocument) { fields = Fields(document) }

    /// The node of a field; `nil` when the reply has none of that name.
    public func node(_ name: StaticString) -> JSONDocument.Node? { fields.node(name) }

    /// A field as a string; `nil` when it is missing or of another type.
    public func string(_ name: StaticString) -> String? { fields.string(name) }

    /// A field as an integer; `nil` when it is missing or of another type.
    public func integer(_ name: StaticString) -> Int64? { fields.integer(name) }

    /// A field as a boolean; `nil` when it is missing or of another type.
    public func bool(_ name: StaticString) -> Bool? { fields.bool(name) }

    /// A field as a JSON value; `nil` when it is missing.
    public func value(_ name: StaticString) -> JSONValue? { fields.value(name) }

    /// The reply as one JSON object without `id` and `ok`, every field as the server wrote it.
    public var text: [UInt8] { document.text(of: document.root, without: ["id", "ok"]) }
}
