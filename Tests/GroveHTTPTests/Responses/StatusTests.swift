import GroveWire
import OrderedJSON
import Testing

@testable import GroveHTTP

@Suite("Statuses")
struct StatusTests {
    @Test(arguments: ErrorCode.allCases)
    func `every code has a status with words, and 5xx wakes somebody who can help`(
        code: ErrorCode
    ) {
        #expect("\(HTTPStatus.reason(code.status))" != "Error")
        #expect((400...599).contains(code.status))
        if code.status >= 500 {
            #expect(code.isRetryable || [.internalError, .storageError].contains(code))
        }
    }

    @Test func `a refusal is a problem with the members of an error`() throws {
        let refusal = Refusal(.limit, "too many") { $0.member("at", "$.x") }
        let body = try JSONValue(parsing: refusal.body(of: Array("/a".utf8)))
        #expect(body["type"]?.string == "/v1/errors/LIMIT")
        #expect(body["status"]?.integer == 422 && body["instance"]?.string == "/a")
        #expect(body["code"]?.string == "LIMIT" && body["data"]?["at"]?.string == "$.x")
        let bare = try JSONValue(parsing: Refusal(404, "nothing").body(of: []))
        #expect(bare["type"]?.string == "about:blank" && bare["code"] == nil)
    }
}
