import ArgumentParser
import Statecharts

/// A file with the definition of a chart.
struct ChartFile {
    let path: String
    let chart: Chart

    /// Reads a definition.
    ///
    /// - Throws: `.noInput` when there is no such file, `.inputOutput` when it can't be read, and
    ///   `.dataError` when it is no definition; with every problem on standard error.
    init(_ path: String, _ format: FormatFlags) throws(ExitCode) {
        self.path = path
        let bytes = try InputFile.read(path, bytesMax: ChartLimits.definitionBytesMax, format)
        do throws(ChartProblems) {
            chart = try Chart(parsing: bytes)
        } catch {
            throw error.report(path, format)
        }
    }

    /// The charts in the files beside this one by their names, as a server with this folder hosts
    /// them, and this one. Files that are no definitions are left out.
    func machines() -> [String: Chart] {
        var machines: [String: Chart] = [:]
        let folder = Self.folder(of: path)
        let names = FolderListing.names(in: folder).filter { $0.hasSuffix(".json") }
        for name in names.prefix(Self.neighborsMax) {
            guard
                let bytes = InputFile.read(
                    name, in: folder, bytesMax: ChartLimits.definitionBytesMax),
                let other = try? Chart(parsing: bytes), let id = other.name
            else { continue }
            machines[id] = other
        }
        if let id = chart.name { machines[id] = chart }
        return machines
    }

    /// The folder of a path; `.` for a name alone.
    static func folder(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// The last name of a path.
    static func name(of path: String) -> String {
        path.lastIndex(of: "/").map { String(path[path.index(after: $0)...]) } ?? path
    }
}

extension ChartProblems {
    /// Says what is wrong with a file, for people and with `--json` for programs; returns the code
    /// to throw.
    func report(_ path: String, _ format: FormatFlags) -> ExitCode {
        for problem in errors {
            Output.note(format.noteStyle.safe(problem.description(in: path)))
        }
        format.showFailure(
            .dataError, "\(path): \(counted(errors.count, "error"))",
            lines: errors.map { ($0.line ?? 1, "\($0.path): \($0.message)") })
        return .dataError
    }
}
