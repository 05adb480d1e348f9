import OrderedJSON
import Testing
import Transducers

@Suite("Requests and answers of the handler http")
struct HTTPRequestTests {
    private func json(_ value: some Encodable) throws -> String {
        var writer = JSONWriter()
        try JSONCoding.encode(value, into: &writer)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    private func decoded<Value: Decodable>(_ text: String) throws -> Value {
        let value = try JSONValue(parsing: Array(text.utf8))
        return try EffectResult(id: nil, then: nil, value: value).decoded()
    }

    @Test func `a request is written without default members`() throws {
        #expect(try json(HTTPRequest(url: "u")) == #"{"method":"GET","url":"u"}"#)
        let full = HTTPRequest(
            method: "PUT", url: "u", headers: ["a": "b"], body: ["x": 1],
            timeoutMilliseconds: 5, acceptStatus: [404, 409])
        let text =
            #"{"method":"PUT","url":"u","headers":{"a":"b"},"body":{"x":1},"#
            + #""timeout_ms":5,"accept_status":[404,409]}"#
        #expect(try json(full) == text)
        #expect(try decoded(text) == full)
    }

    @Test func `a header is a text or the name of a secret`() throws {
        let request = HTTPRequest(
            url: "u", headers: ["a": .secret("stripe", prefix: "Bearer ")])
        let text =
            #"{"method":"GET","url":"u","headers":{"a":{"secret":"stripe","prefix":"Bearer "}}}"#
        #expect(try json(request) == text)
        #expect(try decoded(text) == request)
        let bare = #"{"method":"GET","url":"u","headers":{"a":{"secret":"stripe"}}}"#
        #expect(try json(HTTPRequest(url: "u", headers: ["a": .secret("stripe")])) == bare)
        #expect(try decoded(bare) == HTTPRequest(url: "u", headers: ["a": .secret("stripe")]))
        let one = 1
        #expect(HTTPHeaderValue.text("v1") == "v\(one)")
        for wrong in ["5", "null", "[]", "{}", #"{"secret":5}"#, #"{"secret":"s","prefix":5}"#] {
            let text = #"{"url":"u","headers":{"a":\#(wrong)}}"#
            #expect(throws: (any Error).self, "\(wrong)") { try decoded(text) as HTTPRequest }
        }
    }

    @Test func `only the URL of a request is required`() throws {
        #expect(try decoded(#"{"url":"u"}"#) == HTTPRequest(url: "u"))
        // As machines wrote it before there was a type, and as it stands in data files.
        let stored = #"{"method":"POST","url":"u","body":{"order":"o","amount":5}}"#
        let request: HTTPRequest = try decoded(stored)
        #expect(
            request
                == HTTPRequest(method: "POST", url: "u", body: ["order": "o", "amount": 5]))
        #expect(try json(request) == stored)
        #expect(throws: (any Error).self) { try decoded(#"{"method":"GET"}"#) as HTTPRequest }
    }

    @Test func `a body can be a value of any type that is written as JSON`() throws {
        struct Charge: Codable, Equatable {
            var amount: Double
        }
        let request = try HTTPRequest(url: "u", encoding: Charge(amount: 2.5))
        #expect(try json(request) == #"{"method":"POST","url":"u","body":{"amount":2.5}}"#)
        #expect(throws: (any Error).self) {
            try HTTPRequest(url: "u", encoding: Charge(amount: .nan))
        }
    }

    @Test func `an answer is read as the handler gives it, with a typed body`()
        throws
    {
        let response: HTTPResponse = try decoded(
            #"{"status":201,"headers":{"x":"a, b"},"body":{"id":7}}"#)
        #expect(
            response == HTTPResponse(status: 201, headers: ["x": "a, b"], body: ["id": 7]))
        struct Created: Decodable { var id: Int }
        #expect(try response.decodedBody(as: Created.self).id == 7)
        #expect(throws: JSONDecodingError.self) { try response.decodedBody(as: String.self) }
        let bare: HTTPResponse = try decoded(#"{"status":204}"#)
        #expect(bare == HTTPResponse(status: 204))
    }

    @Test func `an answer is the value of an event that the effect names`() throws {
        enum Buyer: EffectTransducer, InitialState {
            struct State: NonTerminal, Codable, Sendable {}
            enum Event: Codable, Sendable, Equatable { case charged(HTTPResponse) }
            typealias Output = Int
            static var initialState: State { State() }
            static func update(_ state: inout State, event: Event) -> (Effect?, Int) { (nil, 0) }
        }
        let result = EffectResult(
            id: nil, then: "charged", value: ["status": 200, "headers": [:], "body": "thanks"])
        #expect(try Buyer.effectResult(result) == .charged(HTTPResponse(body: "thanks")))
    }

    @Test func `a server's pause is the minimum of a policy's, within its total time`() {
        let policy = RetryPolicy(attemptsMax: 3, jitter: 0, totalMax: .seconds(60))
        #expect(policy.pause(afterAttempt: 1, elapsed: 0, draw: 0, least: 7_000) == 7_000)
        #expect(policy.pause(afterAttempt: 2, elapsed: 0, draw: 0, least: 7) == 2_000)
        #expect(policy.pause(afterAttempt: 1, elapsed: 0, draw: 0, least: 60_000) == nil)
        #expect(policy.pause(afterAttempt: 3, elapsed: 0, draw: 0, least: 7) == nil)
        #expect(RetryLater("later", after: .seconds(-5)).pause == .zero)
        #expect(RetryLater("later", after: .seconds(1_000_000)).pause == .seconds(86_400))
    }
}
