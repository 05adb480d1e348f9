/// Which source files have tests.
enum TestFileRules {
    /// A file of a library is tested when its target's tests have a file named after it
    /// (`Name.swift`: `NameTests.swift`; `Name+Topic.swift`: `TopicTests.swift` too), or name one
    /// of the types that it declares or extends.
    static func untested(
        sources: [SourceFile], tests: [SourceFile], excused: [String: String] = TestFileExcuses.all
    ) -> [Problem] {
        var problems: [Problem] = []
        let words = Dictionary(
            tests.map { ($0.path, identifiers(of: $0.swift.code)) }, uniquingKeysWith: { $1 })
        for source in sources where !source.path.hasPrefix("Sources/GroveCommands/") {
            let own = tests.filter { isTest($0, of: source) }
            let types = declaredTypes(source.swift.code)
            let isTested = own.contains { test in
                isNamed(test, after: source)
                    || types.contains { words[test.path]?.contains($0) == true }
            }
            if !isTested && excused[source.path] == nil {
                let message = "no test names it or its types: test it, or excuse it with a reason"
                problems.append(Problem(path: source.path, line: 0, message: message))
            }
            if isTested && excused[source.path] != nil {
                let message = "has tests now: take it off TestFileExcuses"
                problems.append(Problem(path: source.path, line: 0, message: message))
            }
        }
        for path in excused.keys.sorted() where !sources.contains(where: { $0.path == path }) {
            let message = "is gone: take it off TestFileExcuses"
            problems.append(Problem(path: path, line: 0, message: message))
        }
        return problems
    }

    /// The folders of tests beside the one that is named like the target.
    private static let otherFolders = ["BuiltInMachines": "TransducersTests"]

    private static func isTest(_ test: SourceFile, of source: SourceFile) -> Bool {
        let target = source.path.split(separator: "/").dropFirst().first.map(String.init) ?? ""
        let folder = otherFolders[target] ?? "\(target)Tests"
        return test.path.hasPrefix("Tests/\(folder)/")
    }

    private static func isNamed(_ test: SourceFile, after source: SourceFile) -> Bool {
        let parts = source.name.dropLast(".swift".count).split(separator: "+")
        let names = [parts.joined()] + parts.map(String.init)
        return names.contains { test.name == "\($0)Tests.swift" }
    }

    /// Every word of the code.
    private static func identifiers(of code: [String]) -> Set<String> {
        var words: Set<String> = []
        for line in code {
            for word in line.utf8.split(whereSeparator: { !CodeRules.isWord($0) }) {
                words.insert(String(decoding: word, as: UTF8.self))
            }
        }
        return words
    }

    /// The types that a file declares or extends at its top level.
    static func declaredTypes(_ code: [String]) -> [String] {
        let keywords: Set = ["struct", "class", "enum", "actor", "protocol", "extension"]
        return code.compactMap { line in
            guard let first = line.first, first != " ", first != "}" else { return nil }
            let words = line.split(separator: " ")
            guard let keyword = words.firstIndex(where: { keywords.contains(String($0)) }),
                keyword + 1 < words.count
            else { return nil }
            return String(words[keyword + 1].prefix { $0.isLetter || $0.isNumber || $0 == "_" })
        }
    }
}
