import Testing

@testable import GroveEffects

@Suite("Reading an answer over HTTP")
struct HTTPAnswerReaderTests {
    /// Returns a reader's result for these lines, and whether it read all of them.
    private static func read(
        _ lines: String..., bodyBytesMax: Int = 10, expectsBody: Bool = true
    ) -> (reader: HTTPAnswerReader, tookAll: Bool) {
        var reader = HTTPAnswerReader(bodyBytesMax: bodyBytesMax, expectsBody: expectsBody)
        var tookAll = true
        for line in lines {
            let bytes = Array((line + "\r\n").utf8)
            tookAll = bytes.withUnsafeBytes { reader.read(line: $0) } && tookAll
        }
        return (reader, tookAll)
    }

    @Test(arguments: [
        ("HTTP/1.1 204 No Content", 204), ("HTTP/2 200 ", 200), ("HTTP/1.0 404", 404),
    ])
    func `the status is the second word of the first line`(line: String, status: Int) {
        let (reader, tookAll) = Self.read(line, "A: b", "")
        #expect(tookAll && reader.hasHead)
        #expect(reader.answer.status == status)
    }

    @Test func `headers are read in any spelling, and kept in their order`() {
        let (reader, _) = Self.read(
            "HTTP/1.1 200 OK", "X-A:1", "x-b :  two words \t", "X-A: 3", "Empty:", "no header", "")
        #expect(reader.answer.headers.map(\.name) == ["x-a", "x-b", "x-a", "empty"])
        #expect(reader.answer.headers.map(\.value) == ["1", "two words", "3", ""])
        #expect(reader.answer.header("x-a") == "1")
        #expect(reader.answer.header("x-c") == nil)
    }

    @Test func `an interim answer and trailers are discarded`() {
        let (reader, tookAll) = Self.read(
            "HTTP/1.1 103 Early Hints", "Early: 1", "", "HTTP/1.1 200 OK", "A: 1", "", "Late: 1",
            "HTTP/1.1 500 No", "")
        #expect(tookAll)
        #expect(reader.answer.status == 200)
        #expect(reader.answer.headers.map(\.name) == ["a"])
    }

    @Test(arguments: [(10, true, true), (11, true, false), (11, false, true)])
    func `a body that is announced too large is refused, unless there is none`(
        count: Int, expectsBody: Bool, isTaken: Bool
    ) {
        let (reader, tookAll) = Self.read(
            "HTTP/1.1 200 OK", "Content-Length: \(count)", "", expectsBody: expectsBody)
        #expect(tookAll == isTaken)
        #expect(reader.answer.isTooLarge == !isTaken)
    }

    @Test func `a body is read up to its bound, to the byte`() {
        var (reader, _) = Self.read("HTTP/1.1 200 OK", "")
        let six = [UInt8](repeating: 7, count: 6)
        #expect(six.withUnsafeBytes { reader.read(body: $0) })
        #expect(six.prefix(4).withUnsafeBytes { reader.read(body: $0) })
        #expect(reader.answer.body.count == 10 && !reader.answer.isTooLarge)
        #expect(!six.prefix(1).withUnsafeBytes { reader.read(body: $0) })
        #expect(reader.answer.body.isEmpty && reader.answer.isTooLarge)
    }

    @Test func `a head has a bound, over all its lines and interim answers`() {
        var reader = HTTPAnswerReader(bodyBytesMax: 10, expectsBody: true)
        let line = [UInt8](repeating: UInt8(ascii: "x"), count: 1_024)
        for _ in 1...64 { #expect(line.withUnsafeBytes { reader.read(line: $0) }) }
        #expect(!reader.isHeadTooLarge)
        #expect(!line.prefix(1).withUnsafeBytes { reader.read(line: $0) })
        #expect(reader.isHeadTooLarge)
    }
}

@Suite("Retry-After")
struct HTTPRetryAfterTests {
    static let laterAnswers: [(headers: [String: String], pause: Duration?)] = [
        (["Retry-After": "7"], .seconds(7)), (["Retry-After": " 0 "], .zero),
        (["Retry-After": "99999999999999999999"], .seconds(86_400)),
        (
            [
                "Retry-After": "Sun, 06 Nov 1994 08:50:37 GMT",
                "Date": "Sun, 06 Nov 1994 08:49:37 GMT",
            ], .seconds(60)
        ),
        (
            [
                "Retry-After": "Sun, 06 Nov 1994 08:49:37 GMT",
                "Date": "Sun, 06 Nov 1994 08:50:37 GMT",
            ], nil
        ),
        (["Retry-After": "Sun, 06 Nov 1994 08:50:37 GMT"], .seconds(10)),
        (["Retry-After": "Sun, 06 Nov 1994 08:50:27 GMT"], nil),
        (["Retry-After": "Sunday, 06-Nov-94 08:50:37 GMT"], .seconds(10)),
        (["Retry-After": "Sun Nov  6 08:50:37 1994"], .seconds(10)),
        (["Retry-After": "Sun Nov  6 08:50:37 1994", "Date": "today"], .seconds(10)),
        (
            ["Retry-After": "Sun Nov  6 08:50:37 1994", "Date": "Sun, 06 Nov 1994 08:50:30 GMT"],
            .seconds(7)
        ),
        (["Retry-After": "-1"], nil), (["Retry-After": "soon"], nil), ([:], nil),
    ]

    @Test(arguments: laterAnswers)
    func `the pause of a Retry-After is read`(headers: [String: String], pause: Duration?) {
        var answer = HTTPAnswer(status: 503)
        for (name, value) in headers.sorted(by: { $0.key < $1.key }) {
            let bytes = Array("\(name): \(value)\r\n".utf8)
            var reader = HTTPAnswerReader(bodyBytesMax: 0, expectsBody: false)
            #expect(bytes.withUnsafeBytes { reader.read(line: $0) })
            answer.headers += reader.answer.headers
        }
        // Ten seconds before the date of most of them.
        #expect(answer.retryAfter(now: 784_111_827) == pause)
    }

    @Test(arguments: [
        ("Thu, 29 Feb 2024 23:59:59 GMT", "Fri, 01 Mar 2024 00:00:00 GMT", 1),
        ("Wed, 31 Dec 2025 23:59:50 GMT", "Thu, 01 Jan 2026 00:00:00 GMT", 10),
        ("Sun, 28 Feb 2100 23:00:00 GMT", "Mon, 01 Mar 2100 00:00:00 GMT", 3_600),
    ])
    func `days are counted as the calendar has them`(date: String, later: String, seconds: Int) {
        let answer = HTTPAnswer(status: 503, headers: [("date", date), ("retry-after", later)])
        #expect(answer.retryAfter(now: 0) == .seconds(seconds))
    }
}
