import ArgumentParser
import ChartImport
import Glibc
import OrderedJSON
import Statecharts

/// A chart in a format of others, which `grove import` turns into a definition.
struct ImportedChart {
    private enum Kind { case scxml, xstate }

    private let path: String
    private let kind: Kind

    /// A file whose name ends like that of a chart; nil for another one, and for an export with
    /// such a name.
    ///
    /// - Throws: `.noInput` when there is no such file, `.inputOutput` when it can't be read.
    init?(path: String, _ format: FormatFlags) throws {
        let end = path.lowercased()
        if end.hasSuffix(".scxml") || end.hasSuffix(".xml") {
            kind = .scxml
        } else if end.hasSuffix(".json") {
            guard try !Self.isExport(path, format) else { return nil }
            kind = .xstate
        } else {
            return nil
        }
        self.path = path
    }

    /// Whether a file is an export of instances: by its first line, or because it is longer than a
    /// chart may be. Of what can only be read once, such as a pipe, nothing is read.
    private static func isExport(_ path: String, _ format: FormatFlags) throws -> Bool {
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return false }
        guard status.st_size <= ImportLimits.documentBytesMax else { return true }
        guard let first = try LineSource(path, format).reader()() else { return false }
        return ImportLine.isExported(first)
    }

    /// Writes the definition, and the problems to standard error.
    ///
    /// - Parameters:
    ///   - output: The file to write; nil for standard output.
    ///   - replaces: Whether it may exist.
    ///   - isTrial: Whether only problems are reported.
    func write(
        to output: String?, replaces: Bool, isTrial: Bool, _ format: FormatFlags
    ) throws {
        let result = try read(format)
        let faults = result.definition.map(faults) ?? []
        let definition = faults.isEmpty ? result.definition : nil
        report(result, faults, format)
        var file: TargetFile?
        if let output, definition != nil, !isTrial {
            file = try TargetFile(output, replaces: replaces, format)
        }
        if format.json {
            try Output.line(json(definition, result, faults).serialized())
        }
        guard let definition else { throw ExitCode.dataError }
        if isTrial { return }
        let text = ReadableJSON.text(definition)
        if let file {
            try file.write(Array(text.utf8))
            try file.finish()
        } else if !format.json {
            try Output.line(String(text.dropLast()))
        }
    }

    private func read(_ format: FormatFlags) throws(ExitCode) -> ImportResult {
        let bytes = try InputFile.read(path, bytesMax: ImportLimits.documentBytesMax, format)
        let slash = path.lastIndex(of: "/")
        let folder = slash.map { String(path[..<$0]) } ?? "."
        let file = slash.map { path[path.index(after: $0)...] } ?? path[...]
        let name = String(file.prefix { $0 != "." })
        switch kind {
        case .scxml:
            return SCXMLImporter.definition(bytes, name: name) { source in
                InputFile.read(source, in: folder, bytesMax: ImportLimits.documentBytesMax)
            }
        case .xstate: return XStateImporter.definition(bytes, name: name)
        }
    }

    /// The errors that the definition itself has, such as regions that can't be final.
    private func faults(of definition: JSONValue) -> [ChartProblem] {
        do throws(ChartProblems) {
            _ = try Chart(definition)
            return []
        } catch {
            return error.errors
        }
    }

    private func report(
        _ result: ImportResult, _ faults: [ChartProblem], _ format: FormatFlags
    ) {
        let style = format.noteStyle
        for problem in result.problems {
            let tone: Style.Tone = problem.severity == .error ? .bad : .accent
            let place = "\(path):\(problem.line):\(problem.column): "
            Output.note(
                style.safe(place) + style.paint("\(problem.severity):", tone) + " "
                    + style.safe(problem.message))
        }
        for fault in faults {
            let place = result.place(of: fault.path).map { "\($0.line):\($0.column): " } ?? ""
            Output.note(
                style.safe("\(path):\(place.isEmpty ? " " : place)")
                    + style.paint("error:", .bad) + " "
                    + style.safe("\(fault.path): \(fault.message)"))
        }
        if !faults.isEmpty || result.problems.contains(where: { $0.severity == .error }) {
            Output.note("nothing was imported")
        }
    }

    private func json(
        _ definition: JSONValue?, _ result: ImportResult, _ faults: [ChartProblem]
    ) -> JSONValue {
        let places = result.problems.map { problem -> JSONValue in
            [
                "severity": .string(problem.severity.rawValue),
                "line": .integer(Int64(problem.line)), "column": .integer(Int64(problem.column)),
                "message": .string(problem.message),
            ]
        }
        let paths = faults.map { fault -> JSONValue in
            var object: JSONObject = ["severity": .string(fault.severity.rawValue)]
            if let (line, column) = result.place(of: fault.path) {
                object["line"] = .integer(Int64(line))
                object["column"] = .integer(Int64(column))
            }
            object["path"] = .string(fault.path)
            object["message"] = .string(fault.message)
            return .object(object)
        }
        return ["definition": definition ?? .null, "problems": .array(places + paths)]
    }
}
