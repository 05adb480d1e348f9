import GroveEngine
import GroveTestSupport
import OrderedJSON
import Testing

@Suite("Answers that wait for effects and states")
struct WaitingTests {
    private func work(_ id: String, then: String? = "got") -> Lab.Plan {
        .perform("work", id: id, then: then, tries: 1, policy: "replace")
    }

    private func settle(
        _ bench: EffectBench, _ settle: Send.Settle, _ plans: Lab.Plan..., timeout: Int64 = 60_000
    ) throws -> UInt32 {
        let event = Lab.Event.plan(plans.count == 1 ? plans[0] : .all(plans))
        return try bench.begin(
            .send(bench.makeSend(event, to: "lab/a", settle: settle, timeout: timeout)))
    }

    private func outcomes(_ bench: EffectBench, _ token: UInt32) -> [String]? {
        guard case .sent(let sent)? = bench.answers[token] else { return nil }
        return sent.settled?.map { outcome in
            [outcome.id ?? "-", outcome.end.rawValue, outcome.reason]
                .compactMap { $0 }.joined(separator: " ")
        }
    }

    /// A result that starts another effect.
    private func more(_ plan: Lab.Plan) throws -> JSONValue {
        var writer = JSONWriter()
        try JSONCoding.encode(Lab.Event.plan(plan), into: &writer)
        return try JSONValue(parsing: writer.bytes)
    }

    @Test func `own waits for the event's effects, with outcomes and failures in order`() throws {
        let bench = try EffectBench()
        let token = try settle(bench, .own, work("a"), work("b"), .after(50, id: "t", note: "x"))
        try bench.report(.failed(reason: "no", isPermanent: true))
        try bench.report(.completed(1))
        #expect(outcomes(bench, token) == nil)
        try bench.advance(by: 50)
        #expect(outcomes(bench, token) == ["a failed no", "b completed", "t completed"])
    }

    @Test func `own doesn't wait for what follows, tree does`() throws {
        let bench = try EffectBench()
        let own = try settle(bench, .own, work("a", then: nil))
        try bench.report(.completed(try more(work("b"))))
        #expect(outcomes(bench, own) == ["a completed"])
        try bench.report(.completed(1))

        let tree = try settle(bench, .tree, work("a", then: nil))
        try bench.report(.completed(try more(work("b"))))
        #expect(outcomes(bench, tree) == nil)
        try bench.report(.completed(1))
        #expect(outcomes(bench, tree) == ["a completed", "b completed"])
    }

    @Test func `a tree goes through sends, children and sequences`() throws {
        let bench = try EffectBench()
        let token = try settle(
            bench, .tree,
            .sequence([
                .send(to: "lab/b", note: "x", after: 10),
                .start("lab", id: "kid", instance: "k", note: nil, detached: false), work("w"),
            ]))
        try bench.advance(by: 10)
        try bench.send(.end(nil), to: "lab/k")
        #expect(outcomes(bench, token) == nil)
        try bench.report(.completed(1))
        #expect(outcomes(bench, token) == ["- completed", "kid completed", "w completed"])
    }

    @Test func `without effects the answer comes at once`() throws {
        let bench = try EffectBench()
        let token = try bench.begin(
            .send(bench.makeSend(.note("x"), to: "lab/a", settle: .tree)))
        #expect(outcomes(bench, token) == [])
    }

    @Test func `an effect that is dropped settles its sender too`() throws {
        let bench = try EffectBench()
        let token = try settle(
            bench, .own, .queued(.discard2, note: "a", spacing: 0),
            .queued(.discard2, note: "b", spacing: 0), .queued(.discard2, note: "c", spacing: 0))
        try bench.report(.completed("a"))
        try bench.report(.completed("b"))
        #expect(outcomes(bench, token) == ["c cancelled", "a completed", "b completed"])
    }

    @Test func `a wait that takes too long is TIMEOUT, and the effect continues`() throws {
        let bench = try EffectBench()
        let token = try settle(bench, .own, work("a"), timeout: 100)
        try bench.advance(by: 100)
        guard case .failure(.unsettled(version: 1, _, _))? = bench.answers[token] else {
            Issue.record("\(String(describing: bench.answers[token]))")
            return
        }
        try bench.report(.completed(1))
        #expect(try bench.log() == ["got 1"])
    }

    @Test func `a refused event is answered at once`() throws {
        let bench = try EffectBench()
        let token = try bench.begin(
            .send(bench.makeSend(.refuse, to: "lab/a", settle: .own)))
        guard case .failure(.eventRejected)? = bench.answers[token] else {
            Issue.record("no refusal")
            return
        }
    }

    @Test func `a request cancelled midway: running descendants cancelled, finished ones stay`()
        throws
    {
        let bench = try EffectBench()
        let event = Lab.Event.plan(.all([work("a", then: nil), work("b"), work("c")]))
        try bench.ask(.send(bench.makeSend(event, to: "lab/a", dedup: "one")))
        try bench.plan(work("other"))
        try bench.report(.completed(try more(.after(1_000, id: "d", note: "never"))))
        try bench.report(.completed("b is done"))
        let name = try #require(InstanceName("lab/a"))
        let reply = try bench.ask(.cancel(name, .request(Array("one".utf8))))
        guard case .cancelled(let runs, _) = reply else {
            Issue.record("\(reply)")
            return
        }
        #expect(runs.count == 2)
        #expect(try bench.rows() == ["active other"])
        try bench.advance(by: 2_000)
        #expect(try bench.log() == [#"got "b is done""#])
    }

    @Test func `await answers when the instance is done, and at once if it is`() throws {
        let bench = try EffectBench()
        try bench.send(.note("x"))
        let name = try #require(InstanceName("lab/a"))
        let token = try bench.begin(.await(Await(to: name, until: .done, timeout: 1_000)))
        #expect(bench.answers[token] == nil)
        try bench.send(.end(nil))
        guard case .got(let got)? = bench.answers[token] else {
            Issue.record("no answer")
            return
        }
        #expect(got.isDone && got.version == 2)
        let again = try bench.ask(.await(Await(to: name, until: .done, timeout: 1_000)))
        guard case .got = again else {
            Issue.record("\(again)")
            return
        }
    }

    @Test func `await times out, and refuses unknown states`() throws {
        let bench = try EffectBench()
        try bench.send(.note("x"))
        let name = try #require(InstanceName("lab/a"))
        let absent = try #require(InstanceName("lab/nobody"))
        let token = try bench.begin(.await(Await(to: name, until: .done, timeout: 1_000)))
        try bench.advance(by: 999)
        #expect(bench.answers[token] == nil)
        try bench.advance(by: 1)
        guard case .failure(.timeout)? = bench.answers[token] else {
            Issue.record("no timeout")
            return
        }
        guard
            case .failure(.noSuchInstance) = try bench.ask(
                .await(Await(to: absent, until: .done, timeout: 1))),
            case .failure(.badRequest) = try bench.ask(
                .await(Await(to: name, until: .state("x"), timeout: 1)))
        else {
            Issue.record("not refused")
            return
        }
    }

    @Test func `a request of a closed connection doesn't wait`() throws {
        let bench = try EffectBench()
        try bench.send(.note("x"))
        let name = try #require(InstanceName("lab/a"))
        let token = try bench.begin(
            .await(Await(to: name, until: .done, timeout: 1_000)), from: ConnectionID(7))
        bench.close(ConnectionID(7))
        try bench.send(.end(nil))
        // No client reads it, but the request has ended.
        guard case .failure(.timeout(isRepeatable: false))? = bench.answers[token] else {
            Issue.record("\(String(describing: bench.answers[token]))")
            return
        }
        #expect(bench.engine.nextDue == nil)
    }

    @Test func `on a full disk no waiting request gets uncommitted data`() throws {
        let store = FullStore(MemoryStore())
        let bench = try EffectBench(store: store)
        let token = try settle(bench, .own, work("a"))
        try bench.send(.note("x"), to: "lab/b")
        let name = try #require(InstanceName("lab/b"))
        let waiting = try bench.begin(.await(Await(to: name, until: .done, timeout: 60_000)))
        store.isFull = true
        try bench.report(.completed(1), of: bench.takeDispatched())
        // The effect's outcome is unknown; the event itself was applied.
        guard case .failure(.unsettled(version: 1, _, _))? = bench.answers[token] else {
            Issue.record("\(String(describing: bench.answers[token]))")
            return
        }
        try bench.send(.end(nil), to: "lab/b")
        #expect(bench.answers[waiting] == nil)
        store.isFull = false
        try bench.send(.end(nil), to: "lab/b")
        #expect(bench.answers[waiting] != nil)
    }
}
