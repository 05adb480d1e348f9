import Foundation
import GroveWire
import Testing

/// The words that the clients for Python and JavaScript repeat, because each is one file without
/// dependencies.
@Suite("The words of the clients for Python and JavaScript")
struct ClientWordTests {
    /// The words of a constant such as `NAME = frozenset("a b".split())`.
    private func words(of name: String) throws -> [String] {
        let client = try #require(SourceTree.file(at: "Python/grove_client.py"))
        let text = try #require(client.text.components(separatedBy: "\n\(name) = ").last)
        let quoted = text.split(separator: "\"", maxSplits: 2)
        try #require(quoted.count == 3 && text.hasPrefix("frozenset("))
        return quoted[1].split(separator: " ").map(String.init)
    }

    @Test func `the Python client repeats the ops that only read`() throws {
        let reading = Op.allCases.filter(\.traits.reads).map(\.rawValue)
        #expect(try words(of: "_READING") == reading.sorted())
    }

    @Test func `the JavaScript client repeats the ops that only read`() throws {
        let client = try #require(SourceTree.file(at: "JavaScript/grove.js"))
        let text = try #require(
            client.text.components(separatedBy: "\nconst READING = new Set(").last)
        let quoted = text.split(separator: "'", maxSplits: 2)
        try #require(quoted.count == 3)
        let reading = Op.allCases.filter(\.traits.reads).map(\.rawValue)
        #expect(quoted[1].split(separator: " ").map(String.init) == reading.sorted())
    }

    @Test func `the Python client repeats after temporary refusals`() throws {
        let passing = ErrorCode.allCases.filter { $0.isRetryable && $0.isDefinite }
        #expect(try Set(words(of: "_PASSING")) == Set(passing.map(\.rawValue)))
    }

    @Test func `the Python client knows the refusals with an unknown outcome`() throws {
        let open = ErrorCode.allCases.filter { !$0.isDefinite }
        #expect(try Set(words(of: "_OPEN")) == Set(open.map(\.rawValue)))
    }

    @Test func `the Python client's exceptions are of existing codes`() throws {
        let client = try #require(SourceTree.file(at: "Python/grove_client.py"))
        let begin = "_BY_CODE: Dict[str, Type[ServerError]] = {\n"
        let table = try #require(client.text.components(separatedBy: begin).last)
        let rows = table.components(separatedBy: "\n}")[0].split(separator: "\n")
        #expect(rows.count > 10)
        for row in rows {
            let code = row.split(separator: "\"")[1]
            #expect(ErrorCode(rawValue: String(code)) != nil, "\(row)")
        }
    }
}
