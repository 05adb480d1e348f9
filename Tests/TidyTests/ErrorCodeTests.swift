import GroveProtocol
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
}
