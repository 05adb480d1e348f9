import ArgumentParser
import CEL
import OrderedJSON
import Statecharts

struct CheckCharts: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Check the definitions of statecharts.",
        discussion: """
            Reads each file as a server would, and reports every problem with its JSON path: \
            unknown words and targets, missing initial states, wrong types in expressions; and as \
            warnings what is allowed and probably not meant, such as states that can't be reached. \
            No server is needed.

              grove check order.json
              grove check machines/*.json --strict

            Exit codes: 0 no errors, 65 a definition has errors, or with --strict warnings, 66 \
            there is no such file.
            """)

    @Argument(help: "Files with a definition in JSON.", completion: .file()) var files: [String]
    @Flag(help: "Warnings are errors.") var strict = false
    @OptionGroup var format: FormatFlags

    func run() async throws {
        var isRefused = false
        for file in files {
            let bytes = try InputFile.read(file, bytesMax: ChartLimits.definitionBytesMax, format)
            let problems = problems(bytes)
            let errors = problems.count { $0.severity == .error }
            if errors > 0 || strict && !problems.isEmpty { isRefused = true }
            try show(problems, errors: errors, of: file)
        }
        if isRefused { throw ExitCode.dataError }
    }

    private func problems(_ bytes: [UInt8]) -> [ChartProblem] {
        do throws(ChartProblems) {
            return try Chart(parsing: bytes).warnings
        } catch {
            return error.all
        }
    }

    private func show(_ problems: [ChartProblem], errors: Int, of file: String) throws {
        if format.json {
            let object: JSONObject = [
                "file": .string(file), "valid": .bool(errors == 0),
                "problems": .array(problems.map(\.json)),
            ]
            return try Output.line(JSONValue.object(object).serialized())
        }
        let style = format.style
        for problem in problems {
            for line in problem.description(in: file).split(separator: "\n") {
                try Output.line(style.safe(String(line)))
            }
        }
        let warnings = problems.count - errors
        let verdict =
            problems.isEmpty
            ? style.paint("valid", .good)
            : counted(errors, "error") + ", " + counted(warnings, "warning")
        try Output.line("\(style.safe(file))  \(verdict)")
    }
}

extension ChartProblem {
    /// The problem as `grove check --json` shows it.
    fileprivate var json: JSONValue {
        var object: JSONObject = [
            "severity": .string(severity.rawValue), "path": .string(path),
            "message": .string(message),
        ]
        if let line { object["line"] = .integer(Int64(line)) }
        if let column { object["column"] = .integer(Int64(column)) }
        if let expression {
            object["expression"] = [
                "line": .integer(Int64(expression.line)),
                "column": .integer(Int64(expression.column)),
            ]
        }
        return .object(object)
    }
}
