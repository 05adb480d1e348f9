import Testing

@testable import GroveHTTP

@Suite("HTTPConnection")
struct HTTPConnectionTests {
    /// The requests that one turn reads, of which all are refused.
    private func requestsOfOneTurn(_ request: String) -> Int {
        var context = HTTPContext(HTTPSettings())
        var connection = HTTPConnection(context)
        let bytes = Array(String(repeating: request, count: 1_000).utf8)
        var position = 0
        let action = bytes.withUnsafeBytes {
            connection.next(in: $0, from: &position, isUnknown: false, using: &context)
        }
        #expect(action == nil && connection.end == nil)
        return position / request.utf8.count
    }

    @Test func `a turn has a bound of requests, and of the bytes of their heads`() {
        let fields = " HTTP/1.1\r\nHost: localhost\r\n\r\n"
        #expect((32...64).contains(requestsOfOneTurn("GET /nope" + fields)))
        let query = (0..<1_000).map { "n\($0)=" }.joined(separator: "&")
        #expect((1...12).contains(requestsOfOneTurn("GET /v1/instances?" + query + fields)))
    }

    @Test func `the answers of one turn have a bound of bytes`() {
        let fields = " HTTP/1.1\r\nHost: localhost\r\n\r\n"
        #expect((1...16).contains(requestsOfOneTurn("GET /v1/openapi.json" + fields)))
    }
}
