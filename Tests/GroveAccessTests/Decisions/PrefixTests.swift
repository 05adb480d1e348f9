import Testing

@testable import GroveAccess

@Suite("prefixes of bytes")
struct PrefixTests {
    @Test func `a prefix is found at every length, and any other byte is seen`() {
        let bytes = (0..<40).map { UInt8($0) }
        for length in 0...40 {
            var part = Array(bytes.prefix(length))
            func isPrefix(of other: [UInt8]) -> Bool {
                part.withUnsafeBytes { part in other.withUnsafeBytes { part.isPrefix(of: $0) } }
            }
            #expect(isPrefix(of: bytes))
            #expect(isPrefix(of: Array(bytes.prefix(length))))
            if length > 0 { #expect(!isPrefix(of: Array(bytes.prefix(length - 1)))) }
            for place in 0..<length {
                part[place] ^= 0x80
                #expect(!isPrefix(of: bytes))
                part[place] ^= 0x80
            }
        }
    }
}
