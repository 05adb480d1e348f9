import Testing

@testable import GroveHTTP

@Suite("HTTPBytes")
struct HTTPBytesTests {
    private static let letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
    private static let digits = "0123456789"
    private static let subDelimiters = "!$&'()*+,;="

    private func bytes(where isOfClass: (UInt8) -> Bool) -> Set<UInt8> {
        Set((UInt8.min...UInt8.max).filter(isOfClass))
    }

    @Test func `classes have the bytes that the standards list`() {
        let alphanumeric = Self.letters + Self.digits
        #expect(
            bytes(where: HTTPBytes.isToken) == Set((alphanumeric + "!#$%&'*+-.^_`|~").utf8),
            "RFC 9110, section 5.6.2")
        #expect(
            bytes(where: HTTPBytes.isName)
                == Set((alphanumeric + "-._~" + Self.subDelimiters).utf8),
            "RFC 3986, section 2")
        #expect(
            bytes(where: HTTPBytes.isTarget)
                == Set((alphanumeric + "-._~" + Self.subDelimiters + ":@/?%").utf8))
        #expect(bytes(where: HTTPBytes.isBlank) == [0x20, 0x09])
        #expect(bytes(where: HTTPBytes.isDigit) == Set(Self.digits.utf8))
        #expect(
            bytes(where: HTTPBytes.isValue)
                == Set([0x09] + Array(0x20...0x7E) + Array(0x80...0xFF)),
            "RFC 9110, section 5.5")
    }

    @Test func `hexadecimal digits have values, and letters a small form`() {
        for byte in UInt8.min...UInt8.max {
            let text = String(UnicodeScalar(byte))
            #expect(HTTPBytes.hex(byte) == (byte < 0x80 ? UInt8(text, radix: 16) : nil))
            let isCapital = (0x41...0x5A).contains(byte)
            #expect(HTTPBytes.lower(byte) == (isCapital ? byte + 0x20 : byte))
        }
    }

    @Test func `words are compared in any case, and as a whole`() {
        #expect(HTTPBytes.isWord("ChunKed".utf8, "chunked"))
        #expect(!HTTPBytes.isWord("chunke".utf8, "chunked"))
        #expect(!HTTPBytes.isWord("chunkedd".utf8, "chunked"))
        #expect(!HTTPBytes.isWord("".utf8, "chunked"))
        // The sign of Kelvin is a K to those who fold Unicode.
        #expect(!HTTPBytes.isWord("chun\u{212A}ed".utf8, "chunked"))
    }
}
