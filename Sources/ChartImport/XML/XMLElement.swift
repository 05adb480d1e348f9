/// An element of a document.
struct XMLElement: Sendable {
    /// Part of an element's content.
    indirect enum Content: Sendable {
        case element(XMLElement)
        case text(XMLText)
    }

    /// An attribute; namespace declarations are none.
    struct Attribute: Sendable {
        /// The name without its prefix.
        let name: String
        /// The namespace of the prefix; nil without a prefix.
        let namespace: String?
        let value: XMLText
        /// The offset of the name.
        let offset: Int
    }

    /// The name without its prefix.
    let name: String
    /// The namespace; nil without one.
    let namespace: String?
    /// The offset of `<`, unique in the document.
    let offset: Int
    let attributes: [Attribute]
    var content: [Content] = []

    /// The elements inside.
    var elements: [XMLElement] {
        content.compactMap { if case .element(let element) = $0 { element } else { nil } }
    }

    /// The text directly inside.
    var text: XMLText {
        var text = XMLText()
        for case .text(let part) in content { text.append(part) }
        return text
    }

    /// An attribute without a namespace.
    func attribute(_ name: String) -> Attribute? {
        attributes.first { $0.name == name && $0.namespace == nil }
    }

    /// The value of an attribute without a namespace, without blanks at its ends.
    subscript(name: String) -> String? {
        attribute(name).map { attribute in
            let text = attribute.value.bytes.drop { XMLReader.isSpace($0) }
            let end = text.lastIndex { !XMLReader.isSpace($0) } ?? text.startIndex - 1
            return String(decoding: text[..<(end + 1)], as: UTF8.self)
        }
    }
}
