import GroveWire
import Testing

@Suite("HTTPDate")
struct HTTPDateTests {
    /// The start of 2026.
    private let now: Int64 = 1_767_225_600

    @Test(arguments: [
        (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"), (0, "Thu, 01 Jan 1970 00:00:00 GMT"),
        (951_827_696, "Tue, 29 Feb 2000 12:34:56 GMT"),
        (4_102_444_799, "Thu, 31 Dec 2099 23:59:59 GMT"),
    ])
    func `dates are written as the standard has it, and read`(seconds: Int64, text: String) {
        #expect(String(decoding: HTTPDate.text(of: seconds), as: UTF8.self) == text)
        #expect(HTTPDate.seconds(text, now: now) == seconds)
    }

    @Test(arguments: [
        ("Sunday, 06-Nov-94 08:49:37 GMT", 784_111_777),
        ("Sun Nov  6 08:49:37 1994", 784_111_777), ("Wed Nov 16 08:49:37 1994", 784_975_777),
        // A year of two digits is at most 50 years ahead.
        ("Friday, 01-Jan-27 00:00:00 GMT", 1_798_761_600),
        ("Wednesday, 01-Jan-76 00:00:00 GMT", 3_345_062_400),
        ("Saturday, 01-Jan-77 00:00:00 GMT", 220_924_800),
    ])
    func `the obsolete forms are read`(text: String, seconds: Int64) {
        #expect(HTTPDate.seconds(text, now: now) == seconds)
    }

    @Test(arguments: [
        "", "now", "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 08:49:37 CET",
        "Sun, 06 Nov 94 08:49:37 GMT", "Sunday, 06-Nov-1994 08:49:37 GMT",
        "Sun, 32 Nov 1994 08:49:37 GMT", "Sun, 06 Now 1994 08:49:37 GMT",
        "Wed, 29 Feb 1995 08:49:37 GMT", "Sun, 06 Nov 1994 24:49:37 GMT",
        "Sun, 06 Nov 1994 08:49 GMT", "Sun, 06 Nov 1994 08:49:+7 GMT",
        "Sun Nov 6 08:49:37 94", "Sun 6 Nov 08:49:37 1994",
    ])
    func `another text is no date`(text: String) {
        #expect(HTTPDate.seconds(text, now: now) == nil)
    }
}
