import GroveAccess
import Testing

@testable import GroveServer

@Suite("Tokens of the system's generator")
struct GeneratingTests {
    @Test func `no two are the same, and each is well-formed`() {
        var texts: Set<[UInt8]> = []
        for _ in 0..<1_000 {
            let token = BearerToken.generate()
            token.withBytes { bytes in
                #expect(TokenText.isWellFormed(bytes))
                texts.insert(Array(bytes))
            }
        }
        #expect(texts.count == 1_000)
    }
}
