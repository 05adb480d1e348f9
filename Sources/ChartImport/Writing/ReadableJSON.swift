public import OrderedJSON

/// Writes JSON for reading: a value on one line if it fits, otherwise one member or element per
/// line.
public enum ReadableJSON {
    /// The columns of a line that isn't broken.
    private static let columns = 100

    /// Returns the text of a value, ending in a newline.
    public static func text(_ value: JSONValue) -> String {
        var lines = ""
        append(value, to: &lines, indent: 0, before: 0, isRoot: true)
        return lines + "\n"
    }

    /// Appends a value.
    ///
    /// - Parameter before: The columns that the line has already.
    private static func append(
        _ value: JSONValue, to text: inout String, indent: Int, before: Int, isRoot: Bool = false
    ) {
        if let line = oneLine(value, isRoot ? 0 : columns - before) {
            text += line
            return
        }
        let inner = String(repeating: " ", count: indent + 2)
        switch value {
        case .object(let object):
            text += "{\n"
            for (index, member) in object.members.enumerated() {
                let name = "\(JSONValue.string(member.name)): "
                text += inner + name
                append(
                    member.value, to: &text, indent: indent + 2,
                    before: indent + 3 + name.utf8.count)
                text += index == object.count - 1 ? "\n" : ",\n"
            }
            text += String(repeating: " ", count: indent) + "}"
        case .array(let elements):
            text += "[\n"
            for (index, element) in elements.enumerated() {
                text += inner
                append(element, to: &text, indent: indent + 2, before: indent + 3)
                text += index == elements.count - 1 ? "\n" : ",\n"
            }
            text += String(repeating: " ", count: indent) + "]"
        default: text += value.description
        }
    }

    /// The value on one line with blanks; nil if it needs more columns.
    private static func oneLine(_ value: JSONValue, _ room: Int) -> String? {
        var text: String
        switch value {
        case .object(let object):
            text = "{"
            for (index, member) in object.members.enumerated() {
                if index > 0 { text += ", " }
                text += "\(JSONValue.string(member.name)): "
                guard let inner = oneLine(member.value, room - text.utf8.count) else { return nil }
                text += inner
                guard text.utf8.count <= room else { return nil }
            }
            text += "}"
        case .array(let elements):
            text = "["
            for (index, element) in elements.enumerated() {
                if index > 0 { text += ", " }
                guard let inner = oneLine(element, room - text.utf8.count) else { return nil }
                text += inner
                guard text.utf8.count <= room else { return nil }
            }
            text += "]"
        default: text = value.description
        }
        switch value {
        case .object(let object) where object.isEmpty: return text
        case .object, .array: return text.utf8.count <= room ? text : nil
        default: return text
        }
    }
}
