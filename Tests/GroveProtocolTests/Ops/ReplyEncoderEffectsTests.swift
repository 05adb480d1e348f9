import OrderedJSON
import Testing
import Transducers

@testable import GroveEngine
@testable import GroveProtocol

@Suite("ReplyEncoder: effects")
struct ReplyEncoderEffectsTests {
    static let zero = String(repeating: "A", count: 22)
    static let done = #"{"id":7,"ok":true"#

    private func line(_ reply: Reply) -> String {
        var encoder = ReplyEncoder(cursors: CursorText(log: LogID(high: 0, low: 0)))
        var writer = JSONWriter()
        let seven = DecodedLine.Answer.id([UInt8(0x37)].withUnsafeBytes { RequestID($0) })
        encoder.append(reply, to: seven, into: &writer)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    private func row(
        _ run: Int64, _ phase: StoredEffect.Phase, _ work: HostedRun.Work, id: String? = nil,
        due: Int64? = nil, _ change: (inout StoredEffect.Body) -> Void = { _ in }
    ) -> StoredEffect {
        let name = "order/o"
        var body = StoredEffect.Body(
            owner: name, phase: phase, run: HostedRun(key: HostedKey(id: id), work: work),
            asked: Timestamp(milliseconds: 5))
        change(&body)
        return StoredEffect(
            ref: EffectRef(instance: InstanceNumber(2), number: run),
            due: due.map(Timestamp.init(milliseconds:)), body: body)
    }

    private func fields(_ rows: [StoredEffect]) -> String {
        var got = Reply.Got(
            version: 1, state: Array("1".utf8), isDone: false, result: nil,
            definition: Reply.DefinitionItem(name: "order", version: "1", hash: nil))
        got.effects = rows
        let text = line(.got(got))
        let start = text.firstRange(of: #""timers":"#)?.lowerBound ?? text.startIndex
        return String(text[start...].dropLast(2))
    }

    @Test func `get separates timers from other effects`() {
        let rows = [
            row(
                1, .sleeping, .after(milliseconds: 9, event: ["type": "ring"]), id: "pay",
                due: 1),
            row(2, .sleeping, .after(milliseconds: 9, event: "ring"), due: 2),
            row(3, .active, .perform(handler: "charge", argument: 1), id: "x"),
        ]
        #expect(
            fields(rows)
                == #""timers":[{"effect":1,"id":"pay","event":{"type":"ring"},"#
                + #""due":"1970-01-01T00:00:00.001Z"},"#
                + #"{"effect":2,"event":"ring","due":"1970-01-01T00:00:00.002Z"}],"#
                + #""effects":[{"effect":3,"kind":"perform","name":"charge","id":"x","#
                + #""phase":"active","attempt":1}]"#)
        #expect(fields([]) == #""timers":[],"effects":[]"#)
    }

    @Test func `a timer that has failed says so`() {
        let rows = [
            row(1, .failed, .after(milliseconds: 9, event: "ring")) { $0.reason = "no \"ring\"" }
        ]
        #expect(
            fields(rows)
                == #""timers":[{"effect":1,"phase":"failed","event":"ring","#
                + #""reason":"no \"ring\""}],"effects":[]"#)
    }

    /// An effect, and its members after its kind and before its reason.
    static let told: [(StoredEffect.Phase, HostedRun.Work, Int64?, String)] = [
        (
            .waiting, .perform(handler: "h", argument: 1), nil,
            #""name":"h","phase":"waiting","attempt":3"#
        ),
        (
            .sleeping, .send(to: "a/b", event: "e", milliseconds: 1), 7,
            #""name":"a/b","phase":"sleeping","due":"1970-01-01T00:00:00.007Z""#
        ),
        (
            .child, .start(machine: "m", instance: nil, input: nil, detached: false), nil,
            #""name":"m","phase":"child""#
        ),
        (.asking, .ask(milliseconds: nil), nil, #""phase":"asking""#),
        (.failed, .ask(milliseconds: nil), nil, #""phase":"failed""#),
        (.sleeping, .compensate, 0, #""phase":"sleeping","due":"1970-01-01T00:00:00.000Z""#),
    ]

    @Test(arguments: told)
    func `an effect is written with its members`(
        phase: StoredEffect.Phase, work: HostedRun.Work, due: Int64?, expected: String
    ) {
        let row = row(4, phase, work, due: due) { body in
            body.failures = 2
            body.reason = "r"
            body.token = "t"
            body.child = "a/b"
        }
        let kind = row.body.run?.kind ?? ""
        // A token is good only while somebody is asked.
        let token = phase == .asking ? #","token":"t""# : ""
        #expect(
            fields([row])
                == #""timers":[],"effects":[{"effect":4,"kind":"\#(kind)",\#(expected),"#
                + #""reason":"r"\#(token),"child":"a/b"}]"#)
    }

    @Test func `a page of effects names the instance first, with the times`() {
        let rows = [
            row(1, .sleeping, .after(milliseconds: 9, event: "ring"), id: "pay", due: 1)
        ]
        let item =
            #"{"to":"order/o","effect":1,"kind":"after","id":"pay","phase":"sleeping","#
            + #""event":"ring","due":"1970-01-01T00:00:00.001Z","#
            + #""asked":"1970-01-01T00:00:00.005Z"}"#
        #expect(line(.effects(rows, next: nil)) == Self.done + #","items":[\#(item)]}"# + "\n")
        #expect(
            line(.effects(rows + rows, next: EffectRef(instance: InstanceNumber(2), number: 1)))
                == Self.done + #","items":[\#(item),\#(item)],"next":"2.1"}"# + "\n")
        #expect(line(.effects([], next: nil)) == Self.done + #","items":[]}"# + "\n")
    }

    @Test func `cancel lists the cancelled effects`() {
        #expect(
            line(.cancelled([3, 4], cursor: Cursor(sequence: 9)))
                == Self.done + #","cancelled":[3,4],"cur":"\#(Self.zero)9"}"# + "\n")
        #expect(
            line(.cancelled([], cursor: Cursor(sequence: 9)))
                == Self.done + #","cancelled":[],"cur":"\#(Self.zero)9"}"# + "\n")
    }

    @Test func `a send lists settled effects after state, outputs and effects`() {
        var sent = Reply.Sent(
            version: 1, cursor: Cursor(sequence: 9), changed: true, isDone: true,
            isDuplicate: false)
        sent.detail = Reply.Sent.Detail(
            state: Array("1".utf8), outputs: [], effects: [Array(#"{"type":"started"}"#.utf8)])
        sent.settled = [
            Reply.EffectOutcome(number: 1, id: "a/b", end: .completed),
            Reply.EffectOutcome(
                number: 2, instance: InstanceName("order/p"), end: .failed, reason: "no \"card\""),
            Reply.EffectOutcome(number: 3, end: .cancelled),
        ]
        #expect(
            line(.sent(sent))
                == Self.done + #","v":1,"cur":"\#(Self.zero)9","changed":true,"state":1,"#
                + #""outputs":[],"effects":[{"type":"started"}],"#
                + #""settled":[{"effect":1,"id":"a/b","end":"completed"},"#
                + #"{"effect":2,"to":"order/p","end":"failed","reason":"no \"card\""},"#
                + #"{"effect":3,"end":"cancelled"}],"done":true}"# + "\n")
        sent.detail = nil
        sent.settled = []
        sent.isDone = false
        #expect(
            line(.sent(sent))
                == Self.done + #","v":1,"cur":"\#(Self.zero)9","changed":true,"settled":[]}"#
                + "\n")
    }
}
