import GroveTLS
import Testing

@Suite("TLSLibrary")
struct TLSLibraryTests {
    @Test func `the version is that of OpenSSL 3 or later`() throws {
        let first = try #require(TLSLibrary.version.split(separator: ".").first.map(String.init))
        #expect(try #require(Int(first)) >= 3)
    }
}
