import Testing

@testable import GroveEngine

@Suite("ByteWriter")
struct ByteWriterTests {
    @Test(arguments: [0, 1, 0x7F, 0x80, 0x3FFF, 0x4000, 1 << 62, UInt64.max])
    func `an integer has seven bits in each byte, and is read back`(value: UInt64) throws {
        var bytes: [UInt8] = [9]
        bytes.append(atMost: ByteWriter.integerBytes) { $0.append(value) }
        let bits = max(1, UInt64.bitWidth - value.leadingZeroBitCount)
        #expect(bytes.count == 1 + (bits + 6) / 7)
        var read: UInt64 = 0
        for (place, byte) in bytes.dropFirst().enumerated() {
            read |= UInt64(byte & 0x7F) << (7 * place)
        }
        #expect(read == value && bytes.first == 9 && bytes.last.map { $0 < 0x80 } == true)
    }

    @Test func `bytes and texts follow their length, and the rest of the room isn't used`() throws {
        var bytes: [UInt8] = []
        bytes.append(atMost: 1_000) { writer in
            writer.append([1, 2, 3])
            writer.append("\u{E9}")
            writer.append("")
            writer.append(UInt8(7))
            writer.append(EventHash(high: 1, low: 2))
        }
        #expect(bytes[..<9].elementsEqual([3, 1, 2, 3, 2, 0xC3, 0xA9, 0, 7]))
        #expect(bytes.count == 9 + ByteWriter.hashBytes && bytes[9] == 1 && bytes[17] == 2)
    }

    @Test func `what doesn't fit stops the process, and writes nothing beyond`() async {
        await #expect(processExitsWith: .failure) {
            var bytes: [UInt8] = []
            bytes.append(atMost: 3) { $0.append([1, 2, 3]) }
        }
    }
}
