import GroveWire
import Testing

@Suite("ByteHash")
struct ByteHashTests {
    @Test func `hashes differ by length and by every byte`() {
        var seen: Set<UInt64> = []
        for length in 0..<70 {
            var bytes = [UInt8](repeating: 0, count: length)
            #expect(seen.insert(bytes.withUnsafeBytes { ByteHash.of($0) }).inserted)
            for place in 0..<length {
                bytes[place] = 1
                #expect(seen.insert(bytes.withUnsafeBytes { ByteHash.of($0) }).inserted)
                bytes[place] = 0
            }
        }
    }
}
