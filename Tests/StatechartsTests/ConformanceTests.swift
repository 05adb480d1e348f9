import CEL
import Foundation
import GroveTestSupport
import OrderedJSON
import Statecharts
import Testing

/// The behaviour tests that are kept beside the repository, in the form that the README beside
/// them describes.
@Suite(
    .enabled(
        if: ConformanceData.isExpected("statecharts"), Comment(rawValue: ConformanceData.hint)))
struct ConformanceTests {
    @Test func `every chart does what SCXML says`() throws {
        let folder = try ConformanceData.folder("statecharts")
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
            .filter { $0.hasSuffix(".json") }.sorted()
        #expect(files.count == 67)
        var passed = 0
        for file in files {
            let data = try Data(contentsOf: folder.appendingPathComponent(file))
            let problem = ChartCase(try JSONValue(parsing: Array(data))).problem()
            if problem == nil { passed += 1 }
            #expect(problem == nil, "\(file): \(problem ?? "")")
        }
        print("Statecharts: \(passed)/\(files.count)")
    }
}
