import GroveWire
import OrderedJSON
import Testing

@testable import GroveProtocol

@Suite("WireError in JSON-RPC")
struct WireErrorJSONRPCTests {
    private func text(_ error: WireError) -> String {
        var writer = JSONWriter()
        writer.object { error.appendJSONRPC(to: &$0) }
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    @Test func `the number is outside, the code and the rest inside`() {
        #expect(
            text(.badRequest("$.params.to", "m"))
                == #"{"error":{"code":-32602,"message":"m","data":{"code":"BAD_REQUEST","#
                + #""retry":false,"data":{"at":"$.params.to"}}}}"#)
        #expect(
            text(WireError(.draining, "later"))
                == #"{"error":{"code":-32005,"message":"later","data":{"code":"DRAINING","#
                + #""retry":true}}}"#)
        #expect(text(.noRequest("$", "m")).contains(#""code":-32600,"#))
        #expect(text(.noRequest("$", "m")).contains(#""code":"BAD_REQUEST""#))
    }

    @Test func `a path can be moved deeper`() {
        let error = WireError.badRequest("$.to", "m")
        #expect(error.path == "$.to")
        #expect(error.inside(".items[3]").path == "$.items[3].to")
        #expect(error.inside("").path == "$.to")
        #expect(WireError.badRequest("$", "m").inside(".params").path == "$.params")
    }

    @Test func `an error without a path stays as it is`() {
        let error = WireError(.limit, "m")
        #expect(error.path == nil)
        #expect(error.inside(".params") == error)
        let other = WireError(.badJSON, "m") { $0.literal(#""at":7"#) }
        #expect(other.path == nil && other.inside(".params") == other)
    }

    @Test func `a number can be added to any data`() {
        let added = WireError(.limit, "m").with("index", 2)
        #expect(String(decoding: added.data, as: UTF8.self) == #"{"index":2}"#)
        let more = WireError.badRequest("$.to", "m").with("index", 0)
        #expect(String(decoding: more.data, as: UTF8.self) == #"{"at":"$.to","index":0}"#)
    }
}
