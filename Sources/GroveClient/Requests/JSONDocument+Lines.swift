import OrderedJSON

extension JSONDocument {
    /// The limits for lines of a server: a reply nests an event deeper than the request did, and
    /// a page may hold many values.
    package static func limits(lineBytesMax: Int) -> JSONLimits {
        JSONLimits(depthMax: 128, bytesMax: lineBytesMax, valuesMax: 16_000_000)
    }

    /// The text of the object at `node` without the members in `names`; the others are unchanged.
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

    /// A string's characters without quotes, or the unchanged text of any other value.
    public func plainText(_ node: Node) -> String {
        string(node) ?? String(decoding: text(node), as: UTF8.self)
    }
}
