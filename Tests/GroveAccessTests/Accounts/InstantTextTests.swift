import GroveAccess
import Testing

@Suite("InstantText and DayText")
struct InstantTextTests {
    @Test func `times have one form and an order`() throws {
        #expect(InstantText("2026-11-21T02:20:00Z")?.text == "2026-11-21T02:20:00.000Z")
        #expect(InstantText("2026-11-21T02:20:00.123Z")?.description == "2026-11-21T02:20:00.123Z")
        let early = try #require(InstantText("2026-11-21T02:20:00Z"))
        let late = try #require(InstantText("2026-11-21T02:20:00.001Z"))
        #expect(early < late && !(late < early))
    }

    @Test(arguments: [
        "", "2026-11-21", "2026-11-21T02:20:00", "2026-11-21 02:20:00Z", "2026-11-21T24:00:00Z",
        "2026-11-21T02:60:00Z", "2026-11-21T02:20:60Z", "2026-11-31T02:20:00Z",
        "2026-11-21T02:20:00.1Z", "2026-11-21T02:20:00,123Z", "2026-11-21T02:20:00.12xZ",
        "2026-11-21T02:20:00+01", "2026-11-21t02:20:00Z", "+026-11-21T02:20:00Z",
        "2026-11-21T02-20:00Z",
    ])
    func `other texts are no times`(text: String) { #expect(InstantText(text) == nil) }

    @Test(arguments: ["2026-11-21", "2024-02-29", "2000-02-29", "0000-01-01", "9999-12-31"])
    func `days`(text: String) { #expect(DayText(text)?.description == text) }

    @Test(arguments: [
        "", "2026-11-2", "2026-13-01", "2026-00-01", "2026-01-00", "2026-04-31", "2025-02-29",
        "1900-02-29", "2026/11/21", "2026-11-21 ", "２026-11-21",
    ])
    func `other texts are no days`(text: String) { #expect(DayText(text) == nil) }
}
