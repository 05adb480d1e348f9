import GroveTestSupport
import Testing

@testable import GroveAccess

@Suite("milliseconds of instants")
struct InstantMillisecondsTests {
    @Test(
        arguments: [
            (0, "1970-01-01T00:00:00.000Z"), (-1, "1969-12-31T23:59:59.999Z"),
            (951_782_400_000, "2000-02-29T00:00:00.000Z"),
            (-62_167_219_200_000, "0000-01-01T00:00:00.000Z"),
            (253_402_300_799_999, "9999-12-31T23:59:59.999Z"),
        ] as [(Int64, String)])
    func `an instant has milliseconds`(milliseconds: Int64, text: String) throws {
        #expect(InstantText(milliseconds: milliseconds).text == text)
        #expect(try #require(InstantText(text)).milliseconds == milliseconds)
    }

    @Test func `instants before and after four digits are the first and the last`() {
        #expect(InstantText(milliseconds: .min).text == "0000-01-01T00:00:00.000Z")
        #expect(InstantText(milliseconds: .max).text == "9999-12-31T23:59:59.999Z")
        #expect(DayText(daysSinceEpoch: .min).text == "0000-01-01")
        #expect(DayText(daysSinceEpoch: .max).text == "9999-12-31")
    }

    @Test func `random instants round trip`() throws {
        var random = SeededRandom(seed: 1)
        for _ in 0..<2_000 {
            let milliseconds = Int64.random(
                in: -62_167_219_200_000...253_402_300_799_999, using: &random)
            let text = InstantText(milliseconds: milliseconds)
            #expect(text.milliseconds == milliseconds)
            #expect(InstantText(text.text) == text)
        }
    }
}
