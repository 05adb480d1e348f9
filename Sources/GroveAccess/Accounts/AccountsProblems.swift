/// The problems of a document that is refused as a whole.
package struct AccountsProblems: Error, Hashable, Sendable {
    /// The first of them, in the order of the text; at most ``AccountsProblems/listedMax``.
    package private(set) var listed: [AccountsProblem] = []
    /// The number of the others.
    package private(set) var others = 0

    init(_ problems: [AccountsProblem] = []) {
        for problem in problems { add(problem.path, problem.message) }
    }

    /// Whether there are none.
    package var isEmpty: Bool { listed.isEmpty }

    /// Adds a problem. The path is computed only if it is listed.
    mutating func add(_ path: @autoclosure () -> String, _ message: String) {
        guard listed.count < Self.listedMax else {
            others += 1
            return
        }
        listed.append(AccountsProblem(path(), message))
    }
}

extension AccountsProblems: CustomStringConvertible {
    /// One problem a line.
    package var description: String {
        let more = others > 0 ? ["and \(others) more"] : []
        return (listed.map(\.description) + more).joined(separator: "\n")
    }
}
