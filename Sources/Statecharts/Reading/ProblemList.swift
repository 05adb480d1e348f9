import CEL

/// The problems that were found so far.
struct ProblemList {
    private(set) var all: [ChartProblem] = []
    private var left = 0

    var hasErrors = false

    mutating func error(_ path: JSONPath, _ message: String) {
        add(ChartProblem(.error, path.text, message))
    }

    mutating func warning(_ path: JSONPath, _ message: String) {
        add(ChartProblem(.warning, path.text, message))
    }

    /// Whether further problems are only counted.
    var isFull: Bool { all.count >= ChartLimits.problemsMax && hasErrors }

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
