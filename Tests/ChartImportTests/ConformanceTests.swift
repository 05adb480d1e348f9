import ChartImport
import Foundation
import GroveTestSupport
import OrderedJSON
import Statecharts
import Testing

/// The published documents that are kept beside the repository, imported, run and judged by the
/// cases of the same names.
@Suite(
    .enabled(if: ConformanceData.isExpected("scxml"), Comment(rawValue: ConformanceData.hint)))
struct ConformanceTests {
    /// The files that one document names; they aren't among the data.
    private static let scripts = ["script-1-0.js": "i = 0;", "script-1-1.js": "i = i + 1;"]

    @Test func `every document does what its case says`() throws {
        let folder = try ConformanceData.folder("scxml")
        let cases = try ConformanceData.folder("statecharts")
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
            .filter { $0.hasSuffix(".scxml") }.sorted()
        #expect(!files.isEmpty)
        var passed = 0
        for file in files {
            let name = String(file.dropLast(".scxml".count))
            let bytes = try Data(contentsOf: folder.appendingPathComponent(file))
            let expected = try Data(contentsOf: cases.appendingPathComponent("\(name).json"))
            let problem = try problem(
                Array(bytes), name, JSONValue(parsing: Array(expected)))
            if problem == nil { passed += 1 }
            #expect(problem == nil, "\(file): \(problem ?? "")")
        }
        print("SCXML: \(passed)/\(files.count)")
    }

    private func problem(_ bytes: [UInt8], _ name: String, _ expected: JSONValue) throws -> String?
    {
        let found = SCXMLImporter.definition(bytes, name: name) { file in
            Self.scripts[file].map { Array($0.utf8) }
        }
        guard let definition = found.definition else { return "\(found.problems)" }
        guard var json = expected.object else { return "no case" }
        json["machine"] = definition
        return ChartCase(.object(json)).problem()
    }
}
