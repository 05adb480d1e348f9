import Testing

@testable import GroveEffects

@Suite("HTTPDate")
struct HTTPDateTests {
    /// The start of 2026.
    private let now = 1_767_225_600

    @Test(arguments: [
        ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777),
        ("Sunday, 06-Nov-94 08:49:37 GMT", 784_111_777),
        ("Sun Nov  6 08:49:37 1994", 784_111_777), ("Wed Nov 16 08:49:37 1994", 784_975_777),
        // A year of two digits is at most 50 years ahead.
        ("Friday, 01-Jan-27 00:00:00 GMT", 1_798_761_600),
        ("Wednesday, 01-Jan-76 00:00:00 GMT", 3_345_062_400),
        ("Saturday, 01-Jan-77 00:00:00 GMT", 220_924_800),
    ])
    func `a date has three forms`(text: String, seconds: Int) {
        #expect(HTTPDate.seconds(text, now: now) == seconds)
    }

    @Test(arguments: [
        "", "now", "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 08:49:37 CET",
        "Sun, 06 Nov 94 08:49:37 GMT", "Sunday, 06-Nov-1994 08:49:37 GMT",
        "Sun, 32 Nov 1994 08:49:37 GMT", "Sun, 06 Now 1994 08:49:37 GMT",
        "Sun, 06 Nov 1994 24:49:37 GMT", "Sun, 06 Nov 1994 08:49 GMT",
        "Sun, 06 Nov 1994 08:49:+7 GMT", "Sun Nov 6 08:49:37 94", "Sun 6 Nov 08:49:37 1994",
    ])
    func `another text is no date`(text: String) {
        #expect(HTTPDate.seconds(text, now: now) == nil)
    }
}
