import GroveWire
import Testing

@Suite("CRC32")
struct CRC32Tests {
    @Test(
        arguments: [
            ("", 0), ("123456789", 0xCBF4_3926), ("a", 0xE8B7_BE43),
            ("The quick brown fox jumps over the lazy dog", 0x414F_A339),
        ] as [(String, UInt32)])
    func `CRC-32 has the known values`(text: String, expected: UInt32) {
        #expect(CRC32.of(Array(text.utf8)) == expected)
    }

    @Test func `CRC-32 shows any flipped bit`() {
        let bytes = Array("some bytes on their way".utf8)
        for place in bytes.indices {
            for bit in 0..<8 {
                var other = bytes
                other[place] ^= 1 << UInt8(bit)
                #expect(CRC32.of(other) != CRC32.of(bytes))
            }
        }
    }
}
