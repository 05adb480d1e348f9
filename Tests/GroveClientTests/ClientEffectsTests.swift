import GroveClient
import GroveTestSupport
import OrderedJSON
import Testing

@Suite("Client: effects", .ownThreads, .timeLimit(.minutes(2)))
struct ClientEffectsTests {
    @Test func `effects are requested page by page`() async throws {
        let server = try FakeServer { connection in
            try connection.greet()
            let first = try connection.request("effects")
            try connection.require(first["to"] == "order/o", "\(first)")
            try connection.require(first["phase"] == "failed", "\(first)")
            try connection.require(first["limit"] == 1, "\(first)")
            try connection.require(first["after"] == nil, "\(first)")
            try connection.reply(
                first,
                #""items":[{"to":"order/o","effect":4,"kind":"perform","name":"charge","id":"x","#
                    + #""phase":"failed","attempt":3,"reason":"no","asked":"t"}],"next":"2.4""#)
            let second = try connection.request("effects")
            try connection.require(second["after"] == "2.4", "\(second)")
            try connection.reply(second, #""items":[]"#)
        }
        let client = Client(options: options(server))
        var effects: [EffectSummary] = []
        for try await effect in client.allEffects(of: "order/o", phase: .failed, pageSize: 1) {
            effects.append(effect)
        }
        #expect(effects.count == 1)
        #expect(effects[0].instance == "order/o" && effects[0].run == 4)
        #expect(effects[0].kind == "perform" && effects[0].name == "charge")
        #expect(effects[0].id == "x" && effects[0].phase == .failed && effects[0].attempt == 3)
        #expect(effects[0].reason == "no" && effects[0].asked == "t" && effects[0].due == nil)
        try await server.finish()
    }

    @Test func `effects of all instances need only the op`() async throws {
        let server = try FakeServer { connection in
            try connection.greet()
            let line = try connection.line() ?? ""
            try connection.require(line == #"{"op":"effects","id":2}"#, line)
            try connection.write(#"{"id":2,"ok":true,"items":[{"effect":1,"phase":"new"}]}"#)
        }
        let page = try await Client(options: options(server)).effects()
        #expect(page.items.map(\.run) == [1] && page.items[0].phase == nil && page.next == nil)
        try await server.finish()
    }

    @Test(arguments: [
        (CancelChoice.effect(3), "effect", JSONValue.integer(3)), (.id("pay"), "effect", "pay"),
        (.timer("pay"), "timer", "pay"), (.request("k-1"), "request", "k-1"),
    ])
    func `cancel names its effects`(choice: CancelChoice, member: String, value: JSONValue)
        async throws
    {
        let server = try FakeServer { connection in
            try connection.greet()
            let cancel = try connection.request("cancel")
            try connection.require(cancel["to"] == "order/o", "\(cancel)")
            try connection.require(cancel[member] == value, "\(cancel)")
            try connection.reply(cancel, #""cancelled":[3,4],"cur":"c9""#)
        }
        let reply = try await Client(options: options(server)).cancel(choice, of: "order/o")
        #expect(reply.runs == [3, 4] && reply.cursor == "c9")
        try await server.finish()
    }

    @Test func `retry and both answers of complete`() async throws {
        let server = try FakeServer { connection in
            try connection.greet()
            let expected = [
                #"{"op":"retry","id":2,"to":"order/o","effect":4}"#,
                #"{"op":"retry","id":3,"to":"order/o","effect":5,"event":{"type":"go"}}"#,
                #"{"op":"complete","id":4,"token":"t","result":{"a":null}}"#,
                #"{"op":"complete","id":5,"token":"t","error":"no"}"#,
            ]
            for (index, line) in expected.enumerated() {
                let received = try connection.line() ?? ""
                try connection.require(received == line, received)
                try connection.write(#"{"id":\#(index + 2),"ok":true}"#)
            }
        }
        let client = Client(options: options(server))
        try await client.retry(effect: 4, of: "order/o")
        try await client.retry(effect: 5, of: "order/o", event: ["type": "go"])
        try await client.complete("t", with: ["a": nil])
        try await client.complete("t", failing: "no")
        try await server.finish()
    }

    @Test func `await waits for a condition and answers like get`() async throws {
        let server = try FakeServer { connection in
            try connection.greet()
            let first = try connection.request("await")
            try connection.require(first["until"] == "done", "\(first)")
            try connection.require(first["timeout_ms"] == 1_500, "\(first)")
            try connection.reply(
                first,
                #""state":1,"v":2,"done":true,"timers":[{"effect":1,"id":"r","event":"ring","#
                    + #""due":"d"}],"effects":[{"effect":2,"kind":"ask","phase":"asking","#
                    + #""token":"t"}]"#)
            let second = try connection.request("await")
            try connection.require(second["until"] == "paid", "\(second)")
            try connection.require(second["timeout_ms"] == 1, "\(second)")
            try connection.refuse(second, "TIMEOUT", retry: true)
        }
        let client = Client(options: options(server))
        let reply = try await client.await("order/o", for: .milliseconds(1_500))
        #expect(reply.version == 2 && reply.isDone)
        #expect(reply.timers.map(\.event) == ["ring"] && reply.timers[0].due == "d")
        #expect(reply.effects.map(\.token) == ["t"] && reply.effects[0].phase == .asking)
        let error = await failure {
            try await client.await("order/o", until: .state("paid"), for: .microseconds(1))
        }
        #expect(error?.code == "TIMEOUT" && error?.isOutcomeUnknown == true)
        try await server.finish()
    }

    @Test func `a send may wait for effects, and lists their ends`() async throws {
        let server = try FakeServer { connection in
            try connection.greet()
            let first = try connection.request("send")
            try connection.require(first["settle"] == "tree", "\(first)")
            try connection.require(first["timeout_ms"] == 2_000, "\(first)")
            try connection.reply(
                first,
                #""v":1,"effects":[{"type":"started"}],"settled":[{"effect":1,"id":"x","#
                    + #""end":"completed"},{"effect":2,"to":"a/c","end":"failed","#
                    + #""reason":"no"},{"effect":3,"end":"lost"}]"#)
            let second = try connection.request("send")
            try connection.require(second["settle"] == nil, "\(second)")
            try connection.require(second["timeout_ms"] == nil, "\(second)")
            try connection.reply(second, #""v":2"#)
        }
        let client = Client(options: options(server))
        let reply = try await client.send(
            to: "a/b", event: "go", settle: .tree, for: .seconds(2))
        #expect(reply.effects == [["type": "started"]])
        #expect(reply.settled?.map(\.run) == [1, 2, 3])
        #expect(reply.settled?.map(\.end) == [.completed, .failed, nil])
        #expect(reply.settled?[1].instance == "a/c" && reply.settled?[1].reason == "no")
        let plain = try await client.send(to: "a/b", event: "go", for: .seconds(2))
        #expect(plain.settled == nil && plain.effects.isEmpty)
        try await server.finish()
    }

    @Test func `conditions are written as the protocol has them`() {
        #expect(AwaitCondition("done") == .done && AwaitCondition.done.text == "done")
        #expect(AwaitCondition("paid") == .state("paid"))
        #expect(AwaitCondition.state("paid").text == "paid")
        let phases = "waiting sleeping active asking child delivering failed completed"
        #expect(EffectPhase.allCases.map(\.rawValue).joined(separator: " ") == phases)
        #expect(Settling.allCases.map(\.rawValue) == ["none", "own", "tree"])
        #expect(EffectOutcome.End.allCases.map(\.rawValue) == ["completed", "failed", "cancelled"])
    }
}
