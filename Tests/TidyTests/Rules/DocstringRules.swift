/// The docstrings of the API that users see.
enum DocstringRules {
    /// Targets whose symbols no program outside this repository uses. Their docstrings say what a
    /// name can't; a symbol may have none.
    private static let internalTargets = [
        "GroveAccess", "GroveBench", "GroveEffects", "GroveEngine", "GroveHTTP", "GroveProtocol",
        "GroveStorage",
    ]

    /// Whether the file is part of a product's API.
    static func isAPI(_ path: String) -> Bool {
        path.hasPrefix("Sources/")
            && !internalTargets.contains { path.hasPrefix("Sources/\($0)/") }
    }

    /// The public declarations without a docstring.
    static func undocumented(_ file: SourceFile) -> [Problem] {
        let lines = file.lines.map { $0.drop { $0 == " " } }
        return lines.indices.compactMap { index in
            guard isPublicDeclaration(lines[index]) else { return nil }
            let start = withAttributes(index, of: lines)
            if start > 0, lines[start - 1].hasPrefix("///") { return nil }
            let message = "no docstring: \(lines[index].prefix(60))"
            return Problem(path: file.path, line: index + 1, message: message)
        }
    }

    /// The first line of a declaration's attributes; one of several lines ends with `)` alone.
    private static func withAttributes(_ index: Int, of lines: [Substring]) -> Int {
        guard index > 0 else { return index }
        let before = lines[index - 1]
        if before.hasPrefix("@") { return withAttributes(index - 1, of: lines) }
        guard before == ")" else { return index }
        let start = lines[..<index].lastIndex { $0.hasPrefix("@") }
        return start.map { withAttributes($0, of: lines) } ?? index
    }

    private static func isPublicDeclaration(_ line: Substring) -> Bool {
        var words = line.split(separator: " ")
        while words.first?.hasPrefix("@") == true { words.removeFirst() }
        guard let access = words.first, ["public", "open"].contains(access) else { return false }
        return !["import", "extension", "override"].contains { words.dropFirst().first == $0 }
    }
}
