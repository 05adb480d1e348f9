import GroveWire
import Testing

@Suite("Error codes")
struct ErrorCodeTests {
    static let errorFolder = DocumentTests.errorFolder

    @Test func `every error code has its page, and every page its code`() {
        let codes = ErrorCode.allCases.map(\.rawValue)
        let sent = codes.filter { !DocumentRules.reservedCodes.contains($0) }
        #expect(DocumentRules.errorPages(codes: sent, pages: DocumentTests.errorPages).listed == "")
    }

    @Test func `the list of error pages has every code in order of precedence`() throws {
        let index = try #require(SourceTree.file(at: "\(Self.errorFolder)/README.md"))
        let codes = ErrorCode.allCases.map(\.rawValue)
        let listed = DocumentRules.tableCodes(index)
        let reserved = DocumentRules.reservedCodes
        #expect(listed == codes.filter { !reserved.contains($0) } + reserved)
    }

    @Test func `the list of error pages has the meaning that replies give`() throws {
        let index = try #require(SourceTree.file(at: "\(Self.errorFolder)/README.md"))
        let rows = MarkdownText(index.text).prose
        for code in ErrorCode.allCases {
            let name = "`\(code.rawValue)`"
            let row = try #require(rows.first { $0.hasPrefix("| ") && $0.contains(name) })
            let meaning = row.dropLast(2).split(separator: "| ").last.map(String.init)?.trimmed
            let expected = code.meaning.prefix(1).uppercased() + code.meaning.dropFirst() + "."
            let isReserved = DocumentRules.reservedCodes.contains(code.rawValue)
            #expect(meaning == (isReserved ? code.meaning : expected))
        }
    }

    @Test func `the page of numbers has every code with its number, in order`() throws {
        let page = try #require(SourceTree.file(at: "docs/reference/json-rpc.md"))
        let rows = MarkdownText(page.text).prose.filter { $0.hasPrefix("| −") }
        var expected = ErrorCode.allCases.map { ($0.number, $0.rawValue) }
        let place = ErrorCode.allCases.firstIndex(of: .badRequest) ?? 0
        expected.insert((ErrorCode.invalidRequestNumber, "BAD_REQUEST"), at: place + 1)
        #expect(rows.count == expected.count)
        for (row, (number, code)) in zip(rows, expected) {
            #expect(row.hasPrefix("| −\(-number) |") && row.contains("`\(code)`"), "\(row)")
        }
    }
}
