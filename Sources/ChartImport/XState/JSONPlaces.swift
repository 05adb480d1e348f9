import OrderedJSON

/// Finds the places of values in the text of a JSON value.
struct JSONPlaces: Sendable {
    /// A step from a value to one inside it.
    enum Step: Hashable, Sendable {
        case member(String)
        case element(Int)
    }

    /// The way from the root to a value.
    typealias Path = [Step]

    private let bytes: [UInt8]

    /// A text that was parsed without a fault.
    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// The steps of a path as text: `$.states.cart.on["a b"][0]`.
    static func path(_ text: String) -> Path {
        var result: Path = []
        var rest = text.utf8.drop { $0 == UInt8(ascii: "$") }
        while let first = rest.first {
            rest = rest.dropFirst()
            guard first == UInt8(ascii: "[") else {
                let name = rest.prefix { $0 != UInt8(ascii: ".") && $0 != UInt8(ascii: "[") }
                result.append(.member(String(Substring(name))))
                rest = rest.dropFirst(name.count)
                continue
            }
            let bytes = Array(rest)
            let end = JSONPlaces(bytes).skipValue(0)
            // The whole text was parsed before, so a part that isn't JSON has no place to show.
            switch try? JSONValue(parsing: Array(bytes[..<end])) {
            case .string(let name): result.append(.member(name))
            case .integer(let index): result.append(.element(Int(clamping: index)))
            default: return result
            }
            rest = rest.dropFirst(end + 1)
        }
        return result
    }

    /// Returns the offset of a value, or of a member's name; that of the value around it if there
    /// is none.
    func offset(of path: Path) -> Int {
        var index = skipSpaces(bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0)
        var result = index
        for step in path {
            guard let found = find(step, index) else { return result }
            (result, index) = found
        }
        return result
    }

    /// The offset of the name or element, and that of the value.
    private func find(_ step: Step, _ start: Int) -> (place: Int, value: Int)? {
        guard start < bytes.count else { return nil }
        var index = skipSpaces(start + 1)
        var number = 0
        while index < bytes.count, bytes[index] != 0x5D, bytes[index] != 0x7D {
            let place = index
            switch step {
            case .member(let name):
                guard bytes[start] == UInt8(ascii: "{") else { return nil }
                let end = skipString(index)
                let value = skipSpaces(skipSpaces(end) + 1)
                let text = (try? JSONValue(parsing: Array(bytes[index..<end])))?.string
                if text == name { return (place, value) }
                index = skipValue(value)
            case .element(let wanted):
                if number == wanted { return (place, place) }
                index = skipValue(index)
            }
            number += 1
            index = skipSpaces(index)
            if index < bytes.count, bytes[index] == UInt8(ascii: ",") {
                index = skipSpaces(index + 1)
            }
        }
        return nil
    }

    private func skipSpaces(_ start: Int) -> Int {
        var index = start
        while index < bytes.count, XMLReader.isSpace(bytes[index]) { index += 1 }
        return index
    }

    private func skipString(_ start: Int) -> Int {
        var index = start + 1
        while index < bytes.count, bytes[index] != 0x22 {
            index += bytes[index] == UInt8(ascii: "\\") ? 2 : 1
        }
        return min(index + 1, bytes.count)
    }

    private func skipValue(_ start: Int) -> Int {
        var index = start
        var level = 0
        while index < bytes.count {
            switch bytes[index] {
            case 0x22:
                index = skipString(index)
                if level == 0 { return index }
                continue
            case UInt8(ascii: "{"), UInt8(ascii: "["): level += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                if level == 0 { return index }
                level -= 1
                if level == 0 { return index + 1 }
            case UInt8(ascii: ",") where level == 0: return index
            default: break
            }
            index += 1
        }
        return index
    }
}
