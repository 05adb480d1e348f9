import CustomDump

/// Values as text for people.
enum ValueText {
    /// Everything in a value, on several lines if it is large.
    static func all(_ value: Any) -> String {
        var text = ""
        customDump(value, to: &text)
        return text
    }

    /// A value down to a depth; an ellipsis stands for deeper values.
    static func all(_ value: Any, depth: Int) -> String {
        var text = ""
        customDump(value, to: &text, maxDepth: depth)
        return text
    }

    /// The difference, or `nil` if there is none.
    static func difference<Value>(_ before: Value, _ after: Value) -> String? {
        diff(before, after)
    }

    /// The name of a case with its labels and without its values, such as `add(amount:)`; for other
    /// values, the name of the type.
    static func name(_ value: Any) -> String {
        let mirror = Mirror(reflecting: value)
        guard mirror.displayStyle == .enum else { return "\(type(of: value))" }
        guard let child = mirror.children.first, let name = child.label else {
            return "\(value)"
        }
        return "\(name)(\(labels(of: child.value)))"
    }

    private static func labels(of values: Any) -> String {
        let mirror = Mirror(reflecting: values)
        // A single value without a label isn't in a tuple; all others are.
        guard mirror.displayStyle == .tuple else { return "_:" }
        return mirror.children.map { child in
            let label = child.label ?? "_"
            return (label.hasPrefix(".") ? "_" : label) + ":"
        }.joined()
    }

    /// A value on one line, with an ellipsis for deeper values.
    static func line(_ value: Any) -> String {
        all(value, depth: 1).split(separator: "\n").map {
            $0.drop { $0 == " " }
        }.reduce("") { line, part in
            if line.isEmpty || line.hasSuffix("(") || line.hasSuffix("[") || part.first == ")"
                || part.first == "]"
            {
                return line + part
            }
            return line + " " + part
        }
    }

    /// A value on one line; for a case of an enum, without the name of the type.
    static func label(_ value: Any) -> String {
        let text = line(value)
        guard Mirror(reflecting: value).displayStyle == .enum else { return text }
        let end = text.firstIndex { $0 == "(" } ?? text.endIndex
        let point = text[..<end].lastIndex { $0 == "." }
        return point.map { String(text[text.index(after: $0)...]) } ?? text
    }

    /// The text with each line indented.
    static func indented(_ text: String, by spaces: Int = 4) -> String {
        let margin = String(repeating: " ", count: spaces)
        return text.split(separator: "\n", omittingEmptySubsequences: false).map {
            $0.isEmpty ? "" : margin + $0
        }.joined(separator: "\n")
    }
}
