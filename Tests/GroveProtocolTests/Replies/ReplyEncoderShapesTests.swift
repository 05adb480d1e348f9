import GroveWire
import OrderedJSON
import Testing
import Transducers

@testable import GroveEngine
@testable import GroveProtocol

@Suite("ReplyEncoder, shapes")
struct ReplyEncoderShapesTests {
    static let zero = String(repeating: "A", count: 22)

    private func line(_ reply: Reply, as shape: LineShape = .jsonRPC) -> String {
        var encoder = ReplyEncoder(cursors: CursorText(log: LogID(high: 0, low: 0)))
        var writer = JSONWriter()
        let seven = DecodedLine.Answer.id([UInt8(0x37)].withUnsafeBytes { RequestID($0) })
        encoder.append(reply, to: seven, as: shape, into: &writer)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    @Test func `a result has the fields without id and ok`() {
        let sent = Reply.Sent(
            version: 42, cursor: Cursor(sequence: 9), changed: false, isDone: false,
            isDuplicate: false)
        #expect(
            line(.sent(sent))
                == #"{"id":7,"jsonrpc":"2.0","result":{"v":42,"cur":"\#(Self.zero)9","#
                + #""changed":false}}"# + "\n")
        #expect(line(.done) == #"{"id":7,"jsonrpc":"2.0","result":{}}"# + "\n")
    }

    @Test func `the path of a field is within params`() {
        #expect(
            line(.failure(.badRequest(path: "$.input", message: "m"))).contains(
                #""at":"$.params.input""#))
        #expect(
            line(.failure(.versionPastEnd(asked: 9, actual: 4))).contains(
                #""at":"$.params.at","v":4"#))
        let event = Failure.badEvent(path: "$.params.event", message: "m", expected: nil)
        #expect(line(.failure(event)).contains(#""at":"$.params.event""#))
    }

    @Test func `lines that answer no request are notifications`() {
        var writer = JSONWriter()
        ReplyEncoder.append("ping", "t", 17, as: .plain, into: &writer)
        ReplyEncoder.append("ping", "t", 17, as: .jsonRPC, into: &writer)
        #expect(
            String(decoding: writer.bytes, as: UTF8.self)
                == #"{"op":"ping","t":17}"# + "\n"
                + #"{"jsonrpc":"2.0","method":"ping","params":{"t":17}}"# + "\n")
    }

    @Test func `a form has its number`() {
        #expect(LineShape(rawValue: 0) == .plain && LineShape(rawValue: 1) == .jsonRPC)
    }

    @Test func `results are in order, with refusals among them`() {
        let sent = Reply.Sent(
            version: 1, cursor: Cursor(sequence: 2), changed: true, isDone: true, isDuplicate: true)
        let reply = Reply.batch([.sent(sent), .failure(.limit("m"))])
        #expect(
            line(reply)
                == #"{"id":7,"jsonrpc":"2.0","result":{"results":[{"ok":true,"v":1,"#
                + #""cur":"\#(Self.zero)2","changed":true,"done":true,"dup":true},"#
                + #"{"error":{"code":-32008,"message":"m","data":{"code":"LIMIT","retry":false}}}"#
                + "]}}\n")
        #expect(
            line(.batch([.failure(.limit("m"))]), as: .plain)
                == #"{"id":7,"ok":true,"results":[{"error":{"code":"LIMIT","message":"m","#
                + #""retry":false}}]}"# + "\n")
    }

    @Test func `can returns a state, or the accepted events`() {
        #expect(
            line(.can(Reply.Can(state: Array("1".utf8))))
                == #"{"id":7,"jsonrpc":"2.0","result":{"can":true,"state":1}}"# + "\n")
        #expect(
            line(.can(Reply.Can(refusal: "no", accepts: ["a", "b"])))
                == #"{"id":7,"jsonrpc":"2.0","result":{"can":false,"accepts":["a","b"],"#
                + #""reason":"no"}}"# + "\n")
    }
}
