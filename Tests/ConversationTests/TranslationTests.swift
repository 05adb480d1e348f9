import GroveTestSupport
import OrderedJSON
import Testing

/// Every golden conversation once more, with all its lines as JSON-RPC 2.0.
@Suite("golden conversations as JSON-RPC")
struct TranslationTests {
    /// Conversations about the lines themselves, which are others in this shape.
    static let exempt = [
        "errors/BAD_JSON": "params are one level deeper, so another line is too deep",
        "errors/LINE_TOO_LONG": "the same request is longer, so another line is too long",
        "topics/http": "an answer over HTTP has no other shape",
    ]

    /// What comes on top of the plain answers: a line that is no request is answered, id or none.
    static let more = [
        "errors/BAD_REQUEST":
            #"{"id":null,"jsonrpc":"2.0","error":{"code":-32600,"message":"a method is missing","#
            + #""data":{"code":"BAD_REQUEST","retry":false,"data":{"at":"$.method"}}}}"#
    ]

    static let names = GoldenTests.names.filter { exempt[$0] == nil && !$0.hasPrefix("json-rpc") }

    @Test(arguments: names)
    func `every answer is the plain one in the other form`(name: String) throws {
        let conversation = try GoldenFolder.read(name)
        let plain = ConversationPlayer(conversation)
        try plain.play()
        let translated = ConversationPlayer(conversation, .init(isJSONRPC: true))
        try translated.play()
        #expect(plain.received.keys.sorted() == translated.received.keys.sorted())
        for (client, bytes) in plain.received {
            let expected = try lines(bytes).map(Translation.answer)
            var actual = try lines(translated.received[client] ?? [])
            if let more = Self.more[name] {
                let count = actual.count
                actual.removeAll { "\($0)" == more }
                #expect(count == actual.count + 1)
            }
            guard expected != actual else { continue }
            let difference = Difference.of(
                expected: expected.map { "\($0)" }, actual: actual.map { "\($0)" })
            Issue.record("\(name), client \"\(client)\" as JSON-RPC:\n\(difference)")
        }
    }

    /// All lines but the greeting, which comes before the client says how it speaks.
    private func lines(_ bytes: [UInt8]) throws -> [JSONValue] {
        try bytes.split(separator: 10).map { try JSONValue(parsing: Array($0)) }
            .filter { $0["op"]?.string != "hello" }
    }

    @Test func `every excuse is needed`() {
        for name in Self.exempt.keys { #expect(GoldenTests.names.contains(name), "\(name)") }
    }

    @Test func `lines are translated as a person would`() throws {
        let request = Translation.request(Array(#"{"op":"get","id":1,"to":"a/b"}"#.utf8))
        #expect(
            String(decoding: request, as: UTF8.self)
                == #"{"jsonrpc":"2.0","method":"get","id":1,"params":{"to":"a/b"}}"#)
        let plain =
            #"{"id":1,"error":{"code":"BAD_REQUEST","message":"m","retry":false,"#
            + #""data":{"at":"$.to"}}}"#
        let answer = try Translation.answer(JSONValue(parsing: Array(plain.utf8)))
        #expect(
            "\(answer)"
                == #"{"id":1,"jsonrpc":"2.0","error":{"code":-32602,"message":"m","data":"#
                + #"{"code":"BAD_REQUEST","retry":false,"data":{"at":"$.params.to"}}}}"#)
    }
}
