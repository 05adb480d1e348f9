/// Finds what isn't well-formed in a file of elements, attributes and texts.
enum XMLCheck {
    /// The first problem; `nil` if there is none.
    static func problem(in text: String) -> String? {
        var open: [Substring] = []
        var rest = text[...]
        while let start = rest.firstIndex(of: "<") {
            if let problem = contents(rest[..<start]) { return problem }
            guard let end = rest[start...].firstIndex(of: ">") else { return "an open tag" }
            let tag = rest[rest.index(after: start)..<end]
            rest = rest[rest.index(after: end)...]
            if tag.hasPrefix("/") {
                guard open.popLast() == tag.dropFirst() else { return "</\(tag.dropFirst())>" }
                continue
            }
            if let problem = attributes(of: tag) { return problem }
            if !tag.hasSuffix("/") { open.append(tag.prefix { $0 != " " }) }
        }
        return open.isEmpty ? contents(rest) : "<\(open[0])> isn't closed"
    }

    private static func contents(_ text: Substring) -> String? {
        for part in text.split(separator: "&", omittingEmptySubsequences: false).dropFirst() {
            let name = part.prefix { $0 != ";" }
            guard ["amp", "lt", "gt", "quot", "#39"].contains(name), name.count < part.count else {
                return "&\(name.prefix(20))"
            }
        }
        return text.contains("]]>") ? "]]>" : nil
    }

    private static func attributes(of tag: Substring) -> String? {
        var names: Set<Substring> = []
        var rest = tag.drop { $0 != " " && $0 != "/" }
        while rest.hasPrefix(" ") {
            rest = rest.dropFirst()
            let name = rest.prefix { $0 != "=" }
            guard names.insert(name).inserted, !name.isEmpty else { return "twice \(name)" }
            rest = rest.dropFirst(name.count)
            guard rest.hasPrefix("=\"") else { return "\(name) has no value" }
            rest = rest.dropFirst(2)
            let value = rest.prefix { $0 != "\"" }
            if let problem = contents(value) { return problem }
            rest = rest.dropFirst(value.count)
            guard rest.hasPrefix("\"") else { return "\(name) isn't closed" }
            rest = rest.dropFirst()
        }
        return rest.isEmpty || rest == "/" ? nil : "<\(tag)>"
    }
}
