import ArgumentParser
import OrderedJSON

/// Files of tests: each holds one test as an object, or a list of them.
struct CaseFiles {
    let format: FormatFlags
    private var passed = 0
    private var total = 0

    init(_ format: FormatFlags) { self.format = format }

    /// Runs all tests of some files. Prints a line for each that fails, then `passed/total`.
    ///
    /// - Parameter run: Gives the name of a test, and what is wrong with it, or nil.
    /// - Throws: `.refused` if a test fails, `.noInput` and `.dataError` for files that can't be
    ///   read.
    static func run(
        _ paths: [String], _ format: FormatFlags,
        _ run: (JSONValue) -> (name: String, problem: String?)
    ) throws {
        var files = CaseFiles(format)
        // All are read first: a broken file should not be noticed after minutes.
        let read = try paths.map { path in (path, try cases(path, format)) }
        for (path, cases) in read {
            for json in cases {
                let (name, problem) = run(json)
                try files.count(path, name, problem)
            }
        }
        try files.finish()
    }

    private static func cases(_ path: String, _ format: FormatFlags) throws -> [JSONValue] {
        let bytes = try InputFile.read(path, bytesMax: bytesMax, format)
        let json: JSONValue
        do throws(JSONError) {
            json = try JSONValue(parsing: bytes)
        } catch {
            throw format.failure(.dataError, "\(path): \(error)")
        }
        let cases = json.array ?? [json]
        guard cases.allSatisfy({ $0.object != nil }) else {
            throw format.failure(.dataError, "\(path): a test is an object, or a list of them")
        }
        return cases
    }

    private mutating func count(_ path: String, _ name: String, _ problem: String?) throws {
        total += 1
        guard let problem else {
            passed += 1
            return
        }
        if format.json {
            let object: JSONObject = [
                "file": .string(path), "case": .string(name), "problem": .string(problem),
            ]
            return try Output.line(JSONValue.object(object).serialized())
        }
        // Faults of expressions have a line with a caret; one line says enough here.
        let line = problem.split(separator: "\n", maxSplits: 1).first ?? ""
        try Output.line(format.style.safe("\(path): \(name): \(line)"))
    }

    private func finish() throws {
        if format.json {
            let object: JSONObject = [
                "passed": .integer(Int64(passed)), "total": .integer(Int64(total)),
            ]
            try Output.line(JSONValue.object(object).serialized())
        } else {
            try Output.line("\(passed)/\(total)")
        }
        if passed < total { throw ExitCode.refused }
    }
}
