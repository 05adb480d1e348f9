import Foundation
import GroveTestSupport
import OrderedJSON
import Testing

/// The texts of nst/JSONTestSuite, each with the verdict written down for it.
@Suite(.enabled(if: ConformanceData.isExpected("json"), Comment(rawValue: ConformanceData.hint)))
struct ConformanceTests {
    @Test func `every file of the suite gets its verdict`() throws {
        let folder = try ConformanceData.folder("json")
        let verdicts = try JSONValue(parsing: bytes(of: folder, "verdicts.json"))
        let members = try #require(verdicts.object?.members)
        #expect(members.count == 318)
        var counts = ["accept": 0, "reject": 0]
        for member in members {
            let text = try bytes(of: folder, member.name)
            let verdict: String
            do {
                let document = try JSONDocument(parsing: text)
                _ = document.value(document.root)
                verdict = "accept"
            } catch {
                verdict = "reject"
                #expect((0...text.count).contains(error.offset), "\(member.name): \(error)")
            }
            counts[verdict, default: 0] += 1
            #expect(member.value.string == verdict, "\(member.name)")
        }
        print(
            "\(members.count) files: \(counts["accept"] ?? 0) accepted, "
                + "\(counts["reject"] ?? 0) rejected")
        #expect(counts == ["accept": 98, "reject": 220])
    }

    @Test func `every file of the folder has a verdict`() throws {
        let folder = try ConformanceData.folder("json")
        let verdicts = try JSONValue(parsing: bytes(of: folder, "verdicts.json"))
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        for file in files where file.hasSuffix(".json") && file != "verdicts.json" {
            #expect(verdicts[file] != nil, "\(file)")
        }
    }

    @Test func `accepted texts are equal after writing and reading`() throws {
        let folder = try ConformanceData.folder("json")
        let verdicts = try JSONValue(parsing: bytes(of: folder, "verdicts.json"))
        for member in verdicts.object?.members ?? [] where member.value == "accept" {
            let value = try JSONValue(parsing: bytes(of: folder, member.name))
            let written = value.serialized()
            #expect(try JSONValue(parsing: written) == value, "\(member.name)")
            #expect(try JSONValue(parsing: written).serialized() == written, "\(member.name)")
        }
    }

    private func bytes(of folder: URL, _ name: String) throws -> [UInt8] {
        try Array(Data(contentsOf: folder.appendingPathComponent(name)))
    }
}
