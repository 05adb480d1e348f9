/// One step of a path from a text's root, into an object or an array; also a key of Codable.
enum PathStep: CodingKey, Hashable {
    case name(String)
    case index(Int)

    init(stringValue: String) { self = .name(stringValue) }

    init(intValue: Int) { self = .index(intValue) }

    var stringValue: String {
        switch self {
        case .name(let name): name
        case .index(let index): "Index \(index)"
        }
    }

    var intValue: Int? {
        if case .index(let index) = self { index } else { nil }
    }

    /// The path of Codable's keys as text. A key of another type names a member.
    static func text(_ keys: [any CodingKey]) -> String {
        text(keys.map { $0 as? PathStep ?? .name($0.stringValue) })
    }

    /// The path as text: `$` for the root, `.name` where the name is an ASCII identifier,
    /// `["any name"]` in JSON's escapes otherwise, `[0]` for an element.
    static func text(_ steps: [PathStep]) -> String {
        var text = "$"
        for step in steps {
            switch step {
            case .index(let index): text += "[\(index)]"
            case .name(let name) where isIdentifier(name): text += "." + name
            case .name(let name):
                var writer = JSONWriter()
                writer.string(name)
                text += "[" + String(decoding: writer.bytes, as: UTF8.self) + "]"
            }
        }
        return text
    }

    private static func isIdentifier(_ name: String) -> Bool {
        var isFirst = true
        for byte in name.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "_"):
                break
            case UInt8(ascii: "0")...UInt8(ascii: "9") where !isFirst: break
            default: return false
            }
            isFirst = false
        }
        return !isFirst
    }
}
