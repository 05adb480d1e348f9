/// The maximum length of lines, functions and files.
enum LayoutRules {
    static let columnsMax = 100
    static let fileLinesMax = 600
    static let functionLinesMax = 60

    static func lineLengths(_ file: SourceFile) -> [Problem] {
        file.lines.enumerated().filter {
            $0.element.utf8.count > columnsMax && $0.element.count > columnsMax
        }.map {
            Problem(
                path: file.path, line: $0.offset + 1,
                message: "\($0.element.count) columns; \(columnsMax) are allowed")
        }
    }

    static func fileLength(_ file: SourceFile) -> [Problem] {
        let count = file.lines.count - (file.text.hasSuffix("\n") ? 1 : 0)
        guard count > fileLinesMax else { return [] }
        let message = "\(count) lines; \(fileLinesMax) are allowed: split it by topic"
        return [Problem(path: file.path, line: 0, message: message)]
    }

    /// The marks of an unfinished merge.
    static func conflictMarkers(_ file: SourceFile) -> [Problem] {
        let markers = ["<<<<<<< ", ">>>>>>> "]
        return file.lines.enumerated().filter { line in
            markers.contains(where: line.element.hasPrefix)
        }.map {
            let message = "a merge was not finished here"
            return Problem(path: file.path, line: $0.offset + 1, message: message)
        }
    }

    static func functionLengths(_ file: SourceFile) -> [Problem] {
        functions(of: file.swift.code).filter { $0.lines > functionLinesMax }.map {
            Problem(
                path: file.path, line: $0.line,
                message: "a function of \($0.lines) lines; \(functionLinesMax) are allowed")
        }
    }

    /// The first line of each function with a body, and its number of lines.
    static func functions(of code: [String]) -> [(line: Int, lines: Int)] {
        code.indices.compactMap { index in
            guard let column = declaration(in: code[index]) else { return nil }
            guard let end = bodyEnd(in: code, line: index, column: column) else { return nil }
            return (index + 1, end - index + 1)
        }
    }

    /// The column behind the keyword of a function's declaration.
    private static func declaration(in line: String) -> Int? {
        let words = line.split { $0 == " " }
        for word in words {
            let isInitializer = ["init(", "init?(", "init<", "init?<"].contains(
                where: word.hasPrefix)
            let isSubscript = ["subscript(", "subscript<"].contains(where: word.hasPrefix)
            if word == "func" || isInitializer || isSubscript || word == "deinit" {
                return line.utf8.distance(from: line.startIndex, to: word.startIndex) + 1
            }
            guard modifiers.contains(where: word.hasPrefix) else { return nil }
        }
        return nil
    }

    private static let modifiers = [
        "@", "public", "package", "internal", "fileprivate", "private", "open", "static", "class",
        "final", "override", "required", "convenience", "mutating", "nonmutating", "borrowing",
        "consuming", "nonisolated", "isolated", "prefix", "postfix", "infix", "distributed",
    ]

    /// The line on which the body that begins behind the place ends; `nil` without a body.
    private static func bodyEnd(in code: [String], line: Int, column: Int) -> Int? {
        var parentheses = 0
        var braces = 0
        for index in line..<code.count {
            let text = index == line ? code[index].utf8.dropFirst(column) : code[index].utf8[...]
            if index > line, braces == 0, parentheses == 0, beginsAnother(code[index]) {
                return nil
            }
            for byte in text {
                switch Unicode.Scalar(byte) {
                case "(", "[": parentheses += 1
                case ")", "]": parentheses -= 1
                case "{" where parentheses == 0 || braces > 0: braces += 1
                case "}" where braces > 0:
                    braces -= 1
                    if braces == 0 { return index }
                case "}" where parentheses == 0: return nil
                default: break
                }
            }
        }
        return nil
    }

    /// Whether a line behind a declaration without a body begins the next thing.
    private static func beginsAnother(_ line: String) -> Bool {
        let trimmed = line.trimmed
        if trimmed.isEmpty { return true }
        let continues = ["where ", "->", "throws", "async", "{", "(", ")"]
        return !continues.contains(where: trimmed.hasPrefix)
            && trimmed != "where" && !trimmed.hasSuffix("{") && !trimmed.hasSuffix(",")
    }
}
