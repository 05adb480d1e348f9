/// Rules about the places of types and bounds, so that a reader finds them by their names.
enum NamingRules {
    /// A type that other files use is declared in a file of its name: `Send` in `Send.swift`, or in
    /// `Send+Something.swift`. Nested and private types aren't meant.
    ///
    /// - Parameter files: The files of `Sources`; a use in any of them counts.
    static func typeFiles(_ files: [SourceFile]) -> [Problem] {
        var users: [Substring: [String]] = [:]
        for file in files {
            for word in Set(file.swift.code.flatMap(capitalizedWords)) {
                users[word, default: []].append(file.path)
            }
        }
        return files.flatMap { file -> [Problem] in
            let name = file.name.dropLast(".swift".count).prefix { $0 != "+" }
            return topLevelTypes(file).compactMap { type, line in
                guard type != name else { return nil }
                let others = users[type, default: []].filter { $0 != file.path }
                guard let other = others.first else { return nil }
                let message = "\(type) is used in \(other): give it a file of its name"
                return Problem(path: file.path, line: line, message: message)
            }
        }
    }

    private static let modifiers: Set<Substring> = [
        "public", "package", "internal", "final", "indirect", "open",
    ]
    private static let kinds: Set<Substring> = ["struct", "class", "enum", "actor", "protocol"]

    /// The types that begin in the first column and aren't private, each with its line.
    private static func topLevelTypes(_ file: SourceFile) -> [(name: Substring, line: Int)] {
        file.swift.code.enumerated().compactMap { index, line in
            guard line.first?.isWhitespace == false else { return nil }
            let words = line.split(separator: " ").drop {
                modifiers.contains($0) || $0.hasPrefix("@")
            }
            guard let kind = words.first, kinds.contains(kind) else { return nil }
            return words.dropFirst().first.map { word in
                (word.prefix { $0.isLetter || $0.isNumber || $0 == "_" }, index + 1)
            }
        }
    }

    private static func capitalizedWords(_ line: String) -> [Substring] {
        line.split { !($0.isLetter || $0.isNumber || $0 == "_") }.filter {
            $0.first?.isUppercase == true
        }
    }

    /// A bound is declared in its target's `Limits.swift`, where its reason stands beside the
    /// others.
    static func bounds(_ file: SourceFile) -> [Problem] {
        guard file.path.hasPrefix("Sources/"), !file.name.hasSuffix("Limits.swift") else {
            return []
        }
        return file.swift.code.enumerated().compactMap { index, line in
            guard let match = line.firstMatch(of: /static (?:let|var) (\w+(?:Max|Min|PerTurn))\b/)
            else { return nil }
            let message = "\(match.1) is a bound: declare it in the target's Limits.swift"
            return Problem(path: file.path, line: index + 1, message: message)
        }
    }
}
