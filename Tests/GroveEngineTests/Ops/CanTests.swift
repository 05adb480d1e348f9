import GroveEngine
import GroveTestSupport
import OrderedJSON
import Testing
import Transducers

@Suite("can")
struct CanTests {
    private func can(_ harness: EngineHarness, _ to: String, _ event: String) throws -> String {
        guard case .send(let send) = try harness.makeSend(to, event) else {
            throw Problem("no send")
        }
        return try harness.ask(.can(Can(to: send.to, event: send.event, eventText: send.eventText)))
            .summary
    }

    @Test func `can gives the state after the event`() throws {
        let harness = try EngineHarness()
        _ = try harness.send("counter/a", #""increment""#)
        #expect(try can(harness, "counter/a", #""increment""#) == #"can {"count":2}"#)
        #expect(try can(harness, "counter/a", #"{"type":"add","amount":5}"#) == #"can {"count":6}"#)
    }

    @Test func `can gives the accepted events for a refused one`() throws {
        let harness = try EngineHarness()
        _ = try harness.send("turnstile/gate", #""COIN""#)
        let refused = try can(harness, "turnstile/gate", #""COIN""#)
        #expect(refused == #"can't: the turnstile is unlocked already ["PUSH"]"#)
    }

    @Test func `can answers for an absent instance from its initial state`() throws {
        let harness = try EngineHarness()
        #expect(try can(harness, "turnstile/new", #""COIN""#) == #"can "unlocked""#)
        #expect(try can(harness, "turnstile/new", #""PUSH""#).hasPrefix("can't"))
        #expect(harness.store.head == 0)
        #expect(try harness.get("turnstile/new").hasPrefix("noSuchInstance"))
    }

    @Test func `can refuses every event for a done instance`() throws {
        let harness = try EngineHarness(testDefinitions)
        _ = try harness.ask(.stop(harness.instance("counter/a"), reason: nil))
        _ = try harness.send("counter/a", #""increment""#)
        _ = try harness.ask(.stop(harness.instance("counter/a"), reason: nil))
        #expect(
            try can(harness, "counter/a", #""increment""#) == "can't: counter/a is done []")
        #expect(try can(harness, "counter/a", #""nonsense""#).hasPrefix("can't"))
        #expect(try can(harness, "finished/new", #""go""#) == "can't: finished/new is done []")
    }

    @Test func `can is refused as a send would be`() throws {
        let harness = try EngineHarness(testDefinitions)
        #expect(try can(harness, "nothing/a", #""x""#) == #"noSuchMachine("nothing")"#)
        #expect(try can(harness, "counter/a", #""nonsense""#).hasPrefix("badEvent"))
        #expect(try can(harness, "quiet/a", #""crash""#).hasPrefix("evaluation"))
        #expect(try can(harness, "chain/a", #""endless""#).hasPrefix("evaluationLimit"))
        let large = #"{"type":"grow","value":2000000}"#
        #expect(try can(harness, "quiet/a", large).hasPrefix("stateTooLarge"))
    }

    @Test func `can sees the open batch, and waits for its commit`() throws {
        let harness = try EngineHarness()
        try harness.receive(harness.makeSend("turnstile/gate", #""COIN""#))
        guard case .send(let send) = try harness.makeSend("turnstile/gate", #""PUSH""#) else {
            throw Problem("no send")
        }
        try harness.receive(.can(Can(to: send.to, event: send.event, eventText: send.eventText)))
        #expect(try harness.flush().replies.last?.reply.summary == #"can "locked""#)
    }

    @Test(arguments: UInt64(1)...30)
    func `can leaves no trace`(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let asked = try EffectBench()
        let spared = try EffectBench()
        for number in 0..<30 {
            let to = "lab/" + (["a", "b"].randomElement(using: &random) ?? "a")
            let plan: Lab.Event =
                [
                    .plan(.perform("work", id: "x", then: "got", tries: 2, policy: "replace")),
                    .plan(.ask(id: "y", milliseconds: 300)), .plan(.cancelAll), .note("n"),
                    .plan(.queued(.suspend1, note: "q", spacing: 50)), .end(nil), .refuse,
                    .plan(.send(to: "lab/b", note: "hi", after: 0)),
                ].randomElement(using: &random) ?? .refuse
            let send = try asked.makeSend(plan, to: to)
            let answer = try asked.ask(
                .can(Can(to: send.to, event: send.event, eventText: send.eventText)))
            for bench in [asked, spared] {
                let plain = try bench.makeSend(plan, to: to)
                let reply = try bench.ask(
                    .send(
                        Send(
                            to: plain.to, event: plain.event, eventText: plain.eventText,
                            reply: .state)))
                guard case .can(let can) = answer else { throw Problem("\(answer.summary)") }
                if let state = can.state {
                    guard case .sent(let sent) = reply else {
                        Issue.record("seed \(seed), \(number): it could, and was refused")
                        return
                    }
                    #expect(sent.detail?.state == state, "seed \(seed), \(number)")
                } else if case .sent = reply {
                    Issue.record("seed \(seed), \(number): it couldn't, and was taken")
                }
                try bench.advance(by: 100)
            }
            // Tokens and jitter are drawn alike, so the rows are equal byte by byte.
            for name in ["lab/a", "lab/b"] where try asked.exists(name) {
                #expect(
                    try "\(asked.got(name).effects)" == "\(spared.got(name).effects)",
                    "seed \(seed), \(number)")
            }
            #expect(asked.store.head == spared.store.head, "seed \(seed), \(number)")
            #expect(asked.atWork == spared.atWork, "seed \(seed), \(number)")
        }
    }

    @Test func `can finds a missing handler`() throws {
        let bench = try EffectBench()
        let send = try bench.makeSend(
            .plan(.perform("nobody", id: nil, then: nil, tries: 1, policy: "replace")),
            to: "lab/a")
        guard
            case .failure(.evaluation) = try bench.ask(
                .can(Can(to: send.to, event: send.event, eventText: send.eventText)))
        else {
            Issue.record("it said it could")
            return
        }
    }
}
