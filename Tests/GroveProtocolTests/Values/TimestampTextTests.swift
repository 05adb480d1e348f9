import Foundation
import GroveEngine
import GroveTestSupport
import Testing

@testable import GroveProtocol

@Suite("TimestampText")
struct TimestampTextTests {
    @Test(arguments: [
        (0, "1970-01-01T00:00:00.000Z"), (-1, "1969-12-31T23:59:59.999Z"),
        (951_782_400_000, "2000-02-29T00:00:00.000Z"),
        (4_107_542_399_999, "2100-02-28T23:59:59.999Z"),
        (4_107_542_400_000, "2100-03-01T00:00:00.000Z"),
        (1_795_227_600_123, "2026-11-21T02:20:00.123Z"),
        (253_402_300_799_999, "9999-12-31T23:59:59.999Z"),
        (Int64.max, "9999-12-31T23:59:59.999Z"), (Int64.min, "0000-01-01T00:00:00.000Z"),
    ])
    func `points in time are RFC 3339 in UTC`(milliseconds: Int64, text: String) {
        #expect(TimestampText.string(Timestamp(milliseconds: milliseconds)) == text)
    }

    @Test func `it agrees with another calendar on random days`() {
        let seed: UInt64 = 7
        var random = SeededRandom(seed: seed)
        let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
        for _ in 0..<500 {
            let milliseconds = Int64(random.next() % 8_000_000_000_000) - 2_000_000_000_000
            let date = Date(timeIntervalSince1970: Double(milliseconds / 1_000))
            let text = TimestampText.string(
                Timestamp(milliseconds: milliseconds / 1_000 * 1_000))
            #expect(text == date.formatted(style), "seed \(seed)")
        }
    }

    @Test func `the cached second is renewed`() {
        var writer = TimestampText()
        for (milliseconds, text) in [
            (1_000, "00:00:01.000Z"), (1_999, "00:00:01.999Z"), (61_005, "00:01:01.005Z"),
            (1_000, "00:00:01.000Z"),
        ] {
            var bytes: [UInt8] = []
            writer.append(Timestamp(milliseconds: Int64(milliseconds)), to: &bytes)
            #expect(String(decoding: bytes, as: UTF8.self) == "1970-01-01T" + text)
        }
    }
}
