import OrderedJSON
import Testing

@testable import GroveClient

@Suite("Client: numbers over time")
struct NumberSeriesTests {
    private func series(_ members: String) throws -> NumberSeries {
        let line = #"{"id":1,"ok":true,\#(members)}"#
        return try NumberSeries(Reply(JSONDocument(parsing: Array(line.utf8))))
    }

    @Test func `each name has its points, and nil where the server doesn't know`() throws {
        let series = try series(
            #""every_ms":1000,"until":"2026-11-21T00:00:00.000Z","series":{"a":[1,null],"b":[]}"#)
        #expect(series.everyMilliseconds == 1_000 && series.until.hasPrefix("2026-11-21"))
        #expect(series.numbers == ["a": [1, nil], "b": []])
        #expect(String(decoding: series.text, as: UTF8.self).hasPrefix(#"{"every_ms":1000"#))
    }

    @Test(arguments: [
        #""until":"t","series":{}"#, #""every_ms":1,"series":{}"#, #""every_ms":1,"until":"t""#,
    ])
    func `a server without series is too old`(members: String) {
        #expect(throws: ClientError.self) { try series(members) }
    }
}
