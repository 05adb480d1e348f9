/// Which source files have tests.
enum TestFileRules {
    /// Source files without a test file of their own, each with the reason why.
    static let excused: [String: String] = [:]

    /// A file `Name.swift` or `Name+Topic.swift` of a library has a file `NameTests.swift`,
    /// `Name+TopicTests.swift` or `NameTopicTests.swift` somewhere under Tests, or an excuse.
    static func untested(
        sources: [SourceFile], tests: [SourceFile], excused: [String: String] = excused
    ) -> [Problem] {
        let names = Set(tests.map { $0.name.replacing("+", with: "") })
        var problems: [Problem] = []
        for source in sources where !source.path.hasPrefix("Sources/GroveTool/") {
            let stem = String(source.name.dropLast(".swift".count))
            let type = stem.split(separator: "+").first.map(String.init) ?? stem
            let isTested = [stem.replacing("+", with: ""), type].contains {
                names.contains("\($0)Tests.swift")
            }
            if !isTested && excused[source.path] == nil {
                let message = "no \(type)Tests.swift: test it, or excuse it with a reason"
                problems.append(Problem(path: source.path, line: 0, message: message))
            }
            if isTested && excused[source.path] != nil {
                let message = "has tests now: take it off TestFileRules.excused"
                problems.append(Problem(path: source.path, line: 0, message: message))
            }
        }
        for path in excused.keys.sorted() where !sources.contains(where: { $0.path == path }) {
            let message = "is gone: take it off TestFileRules.excused"
            problems.append(Problem(path: path, line: 0, message: message))
        }
        return problems
    }
}
