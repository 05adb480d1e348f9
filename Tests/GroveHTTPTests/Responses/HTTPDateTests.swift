import Testing

@testable import GroveHTTP

@Suite("HTTPDate")
struct HTTPDateTests {
    @Test(arguments: [
        (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"), (0, "Thu, 01 Jan 1970 00:00:00 GMT"),
        (951_827_696, "Tue, 29 Feb 2000 12:34:56 GMT"),
        (4_102_444_799, "Thu, 31 Dec 2099 23:59:59 GMT"),
    ])
    func `dates are written as the standard has it`(seconds: Int64, text: String) {
        #expect(String(decoding: HTTPDate.text(of: seconds), as: UTF8.self) == text)
    }
}
