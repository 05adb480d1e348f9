import CEL

/// The problems that were found so far.
struct ProblemList {
    private(set) var all: [ChartProblem] = []
    private var left = 0

    var hasErrors = false

    /// The suggestions of known names that may still be looked for.
    private var hintsLeft = ChartLimits.suggestionsMax

    mutating func error(_ path: JSONPath, _ message: String) {
        add(ChartProblem(.error, path.text, message))
    }

    mutating func warning(_ path: JSONPath, _ message: String) {
        add(ChartProblem(.warning, path.text, message))
    }

    /// Whether a further problem may have the suggestion of a known name.
    var mayHint: Bool { hintsLeft > 0 && all.count < ChartLimits.problemsMax }

    /// Counts a suggestion. Each compares a name with all known ones.
    mutating func countHint() { hintsLeft -= 1 }

    /// Adds a problem. After ``ChartLimits/problemsMax``, only a first error is still kept.
    mutating func add(_ problem: ChartProblem) {
        let isFirstError = problem.severity == .error && !hasErrors
        hasErrors = hasErrors || problem.severity == .error
        if all.count < ChartLimits.problemsMax {
            all.append(problem)
        } else if isFirstError {
            all[all.count - 1] = problem
        } else {
            left += 1
        }
    }

    /// The problems, the last one with the number of those that were left out.
    var reported: [ChartProblem] {
        guard left > 0, let last = all.last else { return all }
        let more = ChartProblem(last.severity, "$", "\(left) further problems aren't listed")
        return all + [more]
    }
}
