import GroveEngine
import OrderedJSON
import Transducers

extension RequestDecoder {
    mutating func send(
        _ fields: Fields, _ line: UnsafeRawBufferPointer
    ) throws(WireError) -> Send {
        let (to, node) = try target(fields)
        let dedup = try dedup(fields)
        let expect = try expectation(fields.expect)
        var create = Send.CreateMode.ifAbsent
        if let field = fields.create { create = try createMode(field) }
        var reply = Send.ReplyDetail.minimal
        if let field = fields.reply { reply = try replyDetail(field) }
        let settle = try settle(fields)
        let timeout = try timeout(fields, of: settle)
        // Last, so that a wrong line costs no decoding.
        let (event, text) = event(node, of: to, line)
        return Send(
            to: to, event: event, eventText: text, dedup: dedup, expect: expect, create: create,
            reply: reply, settle: settle, timeout: timeout)
    }

    private func expectation(
        _ node: JSONDocument.Node?
    ) throws(WireError) -> Send.Expectation? {
        guard let node else { return nil }
        if let version = document.integer(node), version >= 0 { return .version(version) }
        if document.stringEquals(node, "absent") { return .absent }
        if document.stringEquals(node, "exists") { return .exists }
        throw .badRequest(
            "$.expect", "expect is an integer from 0, \"absent\" or \"exists\"")
    }

    private func createMode(_ node: JSONDocument.Node) throws(WireError) -> Send.CreateMode {
        switch try word("create", node, ["if_absent", "never", "must"]) {
        case "never": .never
        case "must": .must
        default: .ifAbsent
        }
    }

    private func replyDetail(_ node: JSONDocument.Node) throws(WireError) -> Send.ReplyDetail {
        switch try word("reply", node, ["min", "state", "full"]) {
        case "state": .state
        case "full": .full
        default: .minimal
        }
    }

    private func settle(_ fields: Fields) throws(WireError) -> Send.Settle {
        guard let node = fields.settle else { return .none }
        return switch try word("settle", node, ["none", "own", "tree"]) {
        case "own": .own
        case "tree": .tree
        default: .none
        }
    }

    private func timeout(_ fields: Fields, of settle: Send.Settle) throws(WireError) -> Int64 {
        guard let node = fields.timeout else { return Limits.waitMillisecondsMax }
        let time = try waitingTime(node)
        guard settle != .none else {
            throw .badRequest(
                "$.timeout_ms", "timeout_ms goes only with settle \"own\" or \"tree\"")
        }
        return time
    }
}

extension ReplyEncoder {
    func append(_ sent: Reply.Sent, _ writer: inout JSONWriter) {
        writer.integer(sent.version)
        cursor(sent.cursor, &writer)
        if sent.changed {
            writer.literal(#","changed":true"#)
        } else {
            writer.literal(#","changed":false"#)
        }
        if let detail = sent.detail {
            writer.literal(#","state":"#)
            writer.rawOrNull(detail.state)
            if let outputs = detail.outputs { writer.outputs(outputs) }
            if let records = detail.effects { writer.effectRecords(records) }
        }
        if let outcomes = sent.settled { settled(outcomes, &writer) }
        ending(isDone: sent.isDone, isDuplicate: sent.isDuplicate, &writer)
    }

    /// Appends `settled`, the results of the effects that the reply waited for.
    func settled(_ outcomes: [Reply.EffectOutcome], _ writer: inout JSONWriter) {
        writer.array("settled", outcomes) { writer, outcome in
            writer.object { writer in
                writer.member("effect", outcome.number)
                writer.member("to", outcome.instance?.text)
                writer.member("id", outcome.id)
                writer.member("end", outcome.end.rawValue)
                writer.member("reason", outcome.reason)
            }
        }
    }
}
