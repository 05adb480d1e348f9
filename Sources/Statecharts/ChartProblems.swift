/// The problems of a definition that is refused: at least one error, and all warnings.
public struct ChartProblems: Error, Hashable, Sendable {
    /// The problems in the order in which they were found: targets last. At most
    /// ``ChartLimits/problemsMax``.
    public let all: [ChartProblem]

    init(_ all: [ChartProblem]) {
        precondition(
            all.contains { $0.severity == .error }, "a definition is refused because of errors")
        self.all = all
    }

    /// The errors.
    public var errors: [ChartProblem] { all.filter { $0.severity == .error } }
}

extension ChartProblems: CustomStringConvertible {
    /// One problem per line.
    public var description: String { all.map(\.description).joined(separator: "\n") }
}
