import CEL
import Foundation
import GroveTestSupport
import OrderedJSON
import Testing

/// The tests of cel-spec, in the form that the README beside them describes.
@Suite(.enabled(if: ConformanceData.isExpected("cel"), Comment(rawValue: ConformanceData.hint)))
struct ConformanceTests {
    /// The tests that don't pass, as `file: section/name`, each with the reason.
    static let excused: [String: String] = [:]

    @Test func `every test of cel-spec passes`() throws {
        let folder = try ConformanceData.folder("cel")
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
            .filter { $0.hasSuffix(".json") }.sorted()
        #expect(files.count == 19)
        var passed = 0
        var total = 0
        for file in files {
            let data = try Data(contentsOf: folder.appendingPathComponent(file))
            let cases = try #require(try JSONValue(parsing: Array(data)).array)
            var failures: [String] = []
            for json in cases {
                let found = CELCase(json)
                let name = "\(file): \(found.name)"
                let problem = found.problem()
                if let problem { failures.append("\(name): \(problem)") }
                #expect(
                    (problem != nil) == (Self.excused[name] != nil),
                    "\(name): \(problem ?? "passes now: take it off the list")")
            }
            print("\(file): \(cases.count - failures.count)/\(cases.count)")
            passed += cases.count - failures.count
            total += cases.count
        }
        print("CEL: \(passed)/\(total)")
        #expect(total == 967)
    }
}
