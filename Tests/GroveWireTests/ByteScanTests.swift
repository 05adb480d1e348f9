import GroveTestSupport
import Testing

@testable import GroveWire

@Suite("ByteScan")
struct ByteScanTests {
    @Test func `the first newline is found at any place`() {
        for length in 0..<40 {
            for place in 0..<length {
                var bytes = [UInt8](repeating: 0x0B, count: length)
                bytes[place] = 10
                if place + 3 < length { bytes[place + 3] = 10 }
                for start in 0...place {
                    let found = bytes.withUnsafeBytes { ByteScan.newline(in: $0, from: start) }
                    #expect(found == place)
                }
            }
        }
    }

    @Test func `no other byte is found as a newline`() {
        let seed: UInt64 = 20_261_121
        var random = SeededRandom(seed: seed)
        for round in 0..<2_000 {
            let bytes = (0..<(round % 50)).map { _ in UInt8(truncatingIfNeeded: random.next()) }
            let found = bytes.withUnsafeBytes { ByteScan.newline(in: $0, from: 0) }
            #expect(found == bytes.firstIndex(of: 10), "seed \(seed), round \(round)")
        }
    }
}
