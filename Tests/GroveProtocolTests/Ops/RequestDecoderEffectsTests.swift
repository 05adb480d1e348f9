import BuiltInMachines
import GroveEngine
import GroveWire
import OrderedJSON
import Testing
import Transducers

@testable import GroveProtocol

@Suite("RequestDecoder: effects")
struct RequestDecoderEffectsTests {
    private struct Unexpected: Error {
        let text: String
    }

    private func decode(_ members: String) throws -> DecodedLine.Body {
        var decoder = RequestDecoder(
            catalogue: try Catalogue(BuiltInMachines.definitions),
            cursors: CursorText(log: LogID(high: 0, low: 0)), lineBytesMax: 1 << 20)
        return Array("{\(members)}".utf8).withUnsafeBytes { decoder.decode($0) }.body
    }

    private func operation(_ members: String) throws -> Operation {
        guard case .operation(let operation) = try decode(members) else {
            throw Unexpected(text: "\(try decode(members))")
        }
        return operation
    }

    // MARK: Refusals

    /// The members of a request, and the path of what is wrong with them.
    static let badMembers: [(String, String)] = [
        (#""op":"effects","to":"errands""#, "$.to"), (#""op":"effects","to":5"#, "$.to"),
        (#""op":"effects","phase":"sequence""#, "$.phase"),
        (#""op":"effects","phase":"stopping""#, "$.phase"),
        (#""op":"effects","phase":1"#, "$.phase"), (#""op":"effects","phase":null"#, "$.phase"),
        (#""op":"effects","after":5"#, "$.after"), (#""op":"effects","after":"""#, "$.after"),
        (#""op":"effects","after":"5""#, "$.after"), (#""op":"effects","after":"5.""#, "$.after"),
        (#""op":"effects","after":"5.6.7""#, "$.after"),
        (#""op":"effects","after":"-5.6""#, "$.after"),
        (#""op":"effects","after":"05.6""#, "$.after"),
        (#""op":"effects","after":"+5.6""#, "$.after"),
        (#""op":"effects","after":"9223372036854775808.1""#, "$.after"),
        (#""op":"effects","limit":0"#, "$.limit"), (#""op":"effects","limit":1001"#, "$.limit"),
        (#""op":"cancel","effect":1"#, "$.to"), (#""op":"cancel","to":"a/b""#, "$.effect"),
        (#""op":"cancel","to":"a/b","effect":0"#, "$.effect"),
        (#""op":"cancel","to":"a/b","effect":-1"#, "$.effect"),
        (#""op":"cancel","to":"a/b","effect":1.0"#, "$.effect"),
        (#""op":"cancel","to":"a/b","effect":"""#, "$.effect"),
        (#""op":"cancel","to":"a/b","effect":null"#, "$.effect"),
        (#""op":"cancel","to":"a/b","timer":1"#, "$.timer"),
        (#""op":"cancel","to":"a/b","timer":"""#, "$.timer"),
        (#""op":"cancel","to":"a/b","request":1"#, "$.request"),
        (#""op":"cancel","to":"a/b","request":"""#, "$.request"),
        (
            #""op":"cancel","to":"a/b","request":"\#(String(repeating: "k", count: 201))""#,
            "$.request"
        ),
        (#""op":"cancel","to":"a/b","effect":1,"timer":"t""#, "$.timer"),
        (#""op":"cancel","to":"a/b","effect":1,"request":"r""#, "$.request"),
        (#""op":"cancel","to":"a/b","timer":"t","request":"r""#, "$.request"),
        (#""op":"cancel","to":"a/b","effect":1,"timer":"t","request":"r""#, "$.request"),
        (#""op":"retry","effect":1"#, "$.to"),
        (#""op":"retry","to":"a/b","effect":0"#, "$.effect"),
        (#""op":"retry","to":"a/b","effect":"x""#, "$.effect"),
        (#""op":"complete","result":1"#, "$.token"),
        (#""op":"complete","token":1,"result":1"#, "$.token"),
        (#""op":"complete","token":"t""#, "$.result"),
        (#""op":"complete","token":"t","error":1"#, "$.error"),
        (#""op":"complete","token":"t","error":null"#, "$.error"),
        (#""op":"complete","token":"t","result":null,"error":"e""#, "$.error"),
        (#""op":"await","until":"done","timeout_ms":1"#, "$.to"),
        (#""op":"await","to":"a/b","timeout_ms":1"#, "$.until"),
        (#""op":"await","to":"a/b","until":"","timeout_ms":1"#, "$.until"),
        (#""op":"await","to":"a/b","until":true,"timeout_ms":1"#, "$.until"),
        (#""op":"await","to":"a/b","until":"done""#, "$.timeout_ms"),
        (#""op":"await","to":"a/b","until":"done","timeout_ms":0"#, "$.timeout_ms"),
        (#""op":"await","to":"a/b","until":"done","timeout_ms":3600001"#, "$.timeout_ms"),
        (#""op":"await","to":"a/b","until":"done","timeout_ms":1.0"#, "$.timeout_ms"),
        (#""op":"await","to":"a/b","until":"done","timeout_ms":"1s""#, "$.timeout_ms"),
        (#""op":"send","to":"a/b","event":"e","settle":"own","timeout_ms":0"#, "$.timeout_ms"),
        (#""op":"send","to":"a/b","event":"e","timeout_ms":1"#, "$.timeout_ms"),
        (#""op":"send","to":"a/b","event":"e","settle":"none","timeout_ms":1"#, "$.timeout_ms"),
    ]

    @Test(arguments: badMembers)
    func `a wrong member is BAD_REQUEST with its path`(members: String, path: String) throws {
        guard case .refusal(let error) = try decode(members) else {
            throw Unexpected(text: members)
        }
        #expect(error.code == .badRequest)
        #expect(String(decoding: error.data, as: UTF8.self) == #"{"at":"\#(path)"}"#)
    }

    @Test func `a wrong phase is answered with the valid ones`() throws {
        guard case .refusal(let error) = try decode(#""op":"effects","phase":"lost""#) else {
            throw Unexpected(text: "phase")
        }
        #expect(
            error.message == """
                phase is one of "waiting", "sleeping", "active", "asking", "child", \
                "delivering", "failed", "completed"
                """)
    }

    // MARK: Requests

    @Test func `effects has its filters and its page`() throws {
        guard
            case .effects(let query) = try operation(
                #""op":"effects","to":"order/o","phase":"failed","after":"12.3","limit":5"#)
        else { throw Unexpected(text: "effects") }
        #expect(query.to?.text == "order/o" && query.phase == .failed && query.limit == 5)
        #expect(query.after == EffectRef(instance: InstanceNumber(12), number: 3))
        guard case .effects(let all) = try operation(#""op":"effects""#) else {
            throw Unexpected(text: "effects")
        }
        #expect(all.to == nil && all.phase == nil && all.after == nil && all.limit == 100)
    }

    @Test(arguments: [
        (#""effect":3"#, Operation.CancelChoice.effect(3)), (#""effect":"pay""#, .id("pay")),
        (#""effect":"3""#, .id("3")), (#""timer":"pay""#, .timer("pay")),
        (#""request":"k-1""#, .request(Array("k-1".utf8))),
    ])
    func `cancel names its effects`(member: String, expected: Operation.CancelChoice) throws {
        guard
            case .cancel(let name, let choice) = try operation(
                #""op":"cancel","to":"order/o",\#(member)"#)
        else { throw Unexpected(text: member) }
        #expect(name.text == "order/o" && choice == expected)
    }

    @Test func `retry names one effect`() throws {
        guard
            case .retry(let name, let run, let event) = try operation(
                #""op":"retry","to":"order/o","effect":9007199254740991"#)
        else { throw Unexpected(text: "retry") }
        #expect(name.text == "order/o" && run == 9_007_199_254_740_991 && event == nil)
        guard
            case .retry(_, _, let other) = try operation(
                #""op":"retry","to":"order/o","effect":1,"event":{"type":"go"}"#)
        else { throw Unexpected(text: "retry") }
        #expect(other == ["type": "go"])
    }

    @Test func `complete has a token and one answer; null is a result`() throws {
        let token = "3-4-0123456789abcdef0123456789abcdef"
        guard
            case .complete(let first, .result(let value)) = try operation(
                #""op":"complete","token":"\#(token)","result":{"a":[1]}"#),
            case .complete(_, .result(.null)) = try operation(
                #""op":"complete","token":"\#(token)","result":null"#),
            case .complete(_, .failure(let reason)) = try operation(
                #""op":"complete","token":"\#(token)","error":"no""#)
        else { throw Unexpected(text: "complete") }
        #expect(first.text == token && value == ["a": [1]] && reason == "no")
    }

    @Test(arguments: ["", "x", "0-1-0123456789abcdef0123456789abcdef", "1-1-0", "1-1", "--"])
    func `a text that is no token means an effect that doesn't exist`(text: String) throws {
        guard
            case .complete(let token, _) = try operation(
                #""op":"complete","token":"\#(text)","result":1"#)
        else { throw Unexpected(text: text) }
        #expect(token.ref.instance.value == .max && token.ref.number == .max)
    }

    @Test func `the state's name of an await has at most two hundred bytes`() throws {
        func asking(_ count: Int) throws -> DecodedLine.Body {
            let name = String(repeating: "n", count: count)
            return try decode(#""op":"await","to":"order/o","until":"\#(name)","timeout_ms":1"#)
        }
        guard case .operation = try asking(200) else { throw Unexpected(text: "200") }
        guard case .refusal(let error) = try asking(201) else { throw Unexpected(text: "201") }
        #expect(String(decoding: error.data, as: UTF8.self) == #"{"at":"$.until"}"#)
    }

    @Test func `await has a condition and a time`() throws {
        guard
            case .await(let done) = try operation(
                #""op":"await","to":"order/o","until":"done","timeout_ms":3600000"#),
            case .await(let paid) = try operation(
                #""op":"await","to":"order/o","until":"paid","timeout_ms":1"#)
        else { throw Unexpected(text: "await") }
        #expect(done.to.text == "order/o" && done.until == .done && done.timeout == 3_600_000)
        #expect(paid.until == .state("paid") && paid.timeout == 1)
    }

    @Test(arguments: [("own", Send.Settle.own), ("tree", .tree), ("none", Send.Settle.none)])
    func `send waits as settle says`(word: String, settle: Send.Settle) throws {
        guard
            case .send(let send) = try operation(
                #""op":"send","to":"counter/c","event":"increment","settle":"\#(word)""#)
        else { throw Unexpected(text: word) }
        #expect(send.settle == settle && send.timeout == Limits.waitMillisecondsMax)
    }
}
