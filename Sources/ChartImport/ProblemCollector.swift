import OrderedJSON

/// Collects problems with their places in a document.
struct ProblemCollector {
    private let lines: LineTable
    private var found: [(offset: Int, problem: ImportProblem)] = []
    private var omitted = 0
    private(set) var hasErrors = false

    /// Whether further problems are only counted, so that their places don't matter.
    var isFull: Bool { found.count >= ImportLimits.problemsMax }

    init(_ lines: LineTable) { self.lines = lines }

    mutating func error(_ offset: Int, _ message: String) { add(.error, offset, message) }

    mutating func warning(_ offset: Int, _ message: String) { add(.warning, offset, message) }

    private mutating func add(_ severity: ImportProblem.Severity, _ offset: Int, _ message: String)
    {
        if severity == .error { hasErrors = true }
        guard !isFull else {
            omitted += 1
            return
        }
        let (line, column) = lines.place(of: offset)
        found.append(
            (
                offset,
                ImportProblem(severity: severity, line: line, column: column, message: message)
            ))
    }

    /// The result with a definition, which is dropped if there was an error.
    ///
    /// - Parameter source: Finds the offset of what a part of the definition was made from.
    func result(
        _ definition: JSONValue?, source: (@Sendable (JSONPlaces.Path) -> Int)? = nil
    ) -> ImportResult {
        var problems = found.enumerated().sorted {
            ($0.element.offset, $0.offset) < ($1.element.offset, $1.offset)
        }.map(\.element.problem)
        if omitted > 0, let last = problems.last {
            problems.append(
                ImportProblem(
                    severity: hasErrors ? .error : .warning, line: last.line, column: last.column,
                    message: "\(omitted) more problems aren't listed"))
        }
        var place: (@Sendable (JSONPlaces.Path) -> (line: Int, column: Int))?
        if let source {
            let lines = lines
            place = { path in lines.place(of: source(path)) }
        }
        return ImportResult(
            definition: hasErrors ? nil : definition, problems: problems, source: place)
    }
}
