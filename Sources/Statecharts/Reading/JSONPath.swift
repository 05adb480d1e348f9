import OrderedJSON

/// The place of a value in a definition: `$.states.cart.on.PAY[0]`.
struct JSONPath: Hashable, Sendable {
    let text: String

    init(_ text: String = "$") { self.text = text }

    /// The place of a member: `.name` for an ASCII identifier, `["any name"]` otherwise.
    func member(_ name: String) -> JSONPath {
        if Self.isIdentifier(name) { return JSONPath("\(text).\(name)") }
        var writer = JSONWriter()
        writer.string(name)
        return JSONPath("\(text)[\(String(decoding: writer.bytes, as: UTF8.self))]")
    }

    /// The place of an element, counted from 0.
    func element(_ index: Int) -> JSONPath { JSONPath("\(text)[\(index)]") }

    /// Whether a name is an identifier of ASCII letters, digits and `_`.
    static func isIdentifier(_ name: String) -> Bool {
        guard let first = name.utf8.first, !(UInt8(ascii: "0")...UInt8(ascii: "9") ~= first)
        else { return false }
        return name.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
                true
            default: false
            }
        }
    }
}
