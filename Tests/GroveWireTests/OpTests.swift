import OrderedJSON
import Testing

@testable import GroveWire

@Suite("Op")
struct OpTests {
    private func op(_ json: String) throws -> Op? {
        let document = try JSONDocument(parsing: Array(json.utf8))
        return Op(document, document.root)
    }

    @Test func `every op is found by its word`() throws {
        for expected in Op.allCases { #expect(try op("\"\(expected.rawValue)\"") == expected) }
    }

    @Test(arguments: ["\"Send\"", "\"\"", "\"sends\"", "null", "1", "{}"])
    func `no other value is an op`(json: String) throws {
        #expect(try op(json) == nil)
    }

    @Test func `a word may be written with escapes`() throws {
        #expect(try op(#""\u0073end""#) == .send)
        #expect(try op(#""g\u0065t""#) == .get)
    }
}

@Suite("OpTraits")
struct OpTraitsTests {
    private func words(_ isMember: (OpTraits) -> Bool) -> String {
        Op.allCases.filter { isMember($0.traits) }.map(\.rawValue).joined(separator: " ")
    }

    @Test func `the table lists the ops that only read`() {
        #expect(
            words(\.reads)
                == "audit await can definitions describe effects get history list ping stats")
    }

    @Test func `the table lists the ops with dedup keys`() {
        #expect(words(\.getsKey) == "create send")
    }

    @Test func `the table lists the ops that may wait`() {
        #expect(words { $0.waiting == .always } == "await")
        #expect(words { $0.waiting == .requested } == "send")
    }

    @Test func `only events count as acks`() {
        #expect(words(\.isTimed) == "send")
    }
}
