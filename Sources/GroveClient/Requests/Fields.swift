import OrderedJSON

/// The members of one object in a line of the server. A member that is missing or of another type
/// is `nil`.
package struct Fields: Sendable {
    let document: JSONDocument
    private let object: JSONDocument.Node

    package init(_ document: JSONDocument, _ object: JSONDocument.Node) {
        self.document = document
        self.object = object
    }

    /// The members of the whole line.
    package init(_ document: JSONDocument) { self.init(document, document.root) }

    package func node(_ name: StaticString) -> JSONDocument.Node? {
        document.member(name, of: object)
    }

    package func string(_ name: StaticString) -> String? { node(name).flatMap(document.string) }

    package func integer(_ name: StaticString) -> Int64? { node(name).flatMap(document.integer) }

    package func bool(_ name: StaticString) -> Bool? { node(name).flatMap(document.bool) }

    func value(_ name: StaticString) -> JSONValue? { node(name).map(document.value) }

    /// A string's characters without quotes, or the unchanged text of any other value.
    func plainText(_ name: StaticString) -> String? { node(name).map(document.plainText) }

    /// The elements of an array; empty when there is none.
    func array(_ name: StaticString) -> [JSONValue] { value(name)?.array ?? [] }

    /// The strings of an array; empty when there is none.
    func strings(_ name: StaticString) -> [String] { array(name).compactMap(\.string) }

    /// A member that every object of this kind has.
    ///
    /// - Throws: ``ClientError/protocolViolation(_:)`` when it is missing or of another type.
    func required<Value>(
        _ name: StaticString, _ read: (Fields) -> (StaticString) -> Value?
    ) throws(ClientError) -> Value {
        if let value = read(self)(name) { return value }
        throw .protocolViolation("a reply without a usable \"\(name)\"")
    }

    /// The elements of an array; `nil` when the member is missing.
    ///
    /// - Throws: ``ClientError/protocolViolation(_:)`` when it is no array, or an element lacks a
    ///   member.
    func items<Item: PageItem>(_ name: StaticString) throws(ClientError) -> [Item]? {
        guard let node = node(name) else { return nil }
        guard document.kind(node) == .array else {
            throw .protocolViolation("\"\(name)\" is no array")
        }
        var items: [Item] = []
        for element in document.elements(of: node) {
            items.append(try Item(document, at: element))
        }
        return items
    }

    /// A member as a value of a Swift type, read as the server's machines read it
    /// (``JSONCoding``).
    ///
    /// - Throws: ``ClientError/undecodable(_:)`` when it is missing or isn't one.
    func decode<Value: Decodable>(
        _ type: Value.Type, _ name: StaticString
    ) throws(ClientError) -> Value {
        guard let node = node(name) else { throw .undecodable("there is no \"\(name)\"") }
        do throws(JSONDecodingError) {
            return try JSONCoding.decode(type, from: document, at: node)
        } catch {
            throw .undecodable("\"\(name)\" is no \(type): \(error)")
        }
    }
}
