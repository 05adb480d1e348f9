import GroveEngine
import GroveTestSupport
import OrderedJSON
import Testing

@Suite("Requests about effects")
struct EffectRequestTests {
    private let name: InstanceName

    init() throws { name = try #require(InstanceName("lab/a")) }

    private func work(_ id: String, tries: Int = 1) -> Lab.Plan {
        .perform("work", id: id, then: "got", tries: tries, policy: "replace")
    }

    private func token(_ bench: EffectBench) throws -> EffectToken {
        let stored = try #require(try bench.store.instance(named: name))
        let rows = try bench.store.effects(of: stored.number)
        let text = try #require(rows.compactMap(\.body.token).first)
        return try #require(EffectToken(text))
    }

    @Test func `an answer from outside becomes an event, once`() throws {
        let bench = try EffectBench()
        try bench.plan(.ask(id: "ok", milliseconds: nil))
        let token = try token(bench)
        try bench.restart()
        guard case .done = try bench.ask(.complete(token, .result("yes"))) else {
            Issue.record("refused")
            return
        }
        guard case .failure(.noSuchEffect) = try bench.ask(.complete(token, .result("no"))) else {
            Issue.record("taken twice")
            return
        }
        #expect(try bench.log() == [#"got "yes""#])
    }

    @Test func `a failure from outside is the effect's failure`() throws {
        let bench = try EffectBench()
        try bench.plan(.ask(id: "ok", milliseconds: nil))
        try bench.ask(.complete(token(bench), .failure("refused")))
        #expect(try bench.log() == ["ok failed: refused"])
    }

    @Test func `an answer that comes too late is refused`() throws {
        let bench = try EffectBench()
        try bench.plan(.ask(id: "ok", milliseconds: 100))
        let token = try token(bench)
        try bench.advance(by: 100)
        #expect(try bench.log() == ["ok failed: no answer came in time"])
        guard case .failure(.noSuchEffect) = try bench.ask(.complete(token, .result(1))) else {
            Issue.record("taken late")
            return
        }
    }

    @Test func `a wrong token is refused, of an effect or of none`() throws {
        let bench = try EffectBench()
        try bench.plan(.ask(id: "ok", milliseconds: nil))
        let right = try token(bench).text
        let other = right.dropLast() + (right.hasSuffix("0") ? "1" : "0")
        for text in [String(other), "9-9-" + String(repeating: "0", count: 32)] {
            let token = try #require(EffectToken(text))
            guard case .failure(.noSuchEffect) = try bench.ask(.complete(token, .result(1)))
            else {
                Issue.record("\(text) was taken")
                return
            }
        }
        for text in ["", "1-1", "1-1-xyz", "-1-1-" + String(repeating: "0", count: 32)] {
            #expect(EffectToken(text) == nil)
        }
        #expect(try bench.rows() == ["asking ok"])
    }

    @Test func `each effect has a different token`() throws {
        let bench = try EffectBench()
        try bench.plan(.ask(id: "a", milliseconds: nil), .ask(id: "b", milliseconds: nil))
        let stored = try #require(try bench.store.instance(named: name))
        let tokens = try bench.store.effects(of: stored.number).compactMap(\.body.token)
        // 128 random bits each.
        #expect(Set(tokens.map { $0.suffix(32) }).count == 2)
        #expect(tokens.allSatisfy { $0.suffix(32).allSatisfy(\.isHexDigit) })
    }

    @Test func `effects are cancelled by run, id, timer and request`() throws {
        let bench = try EffectBench()
        try bench.plan(
            work("w"), .after(10, id: "t", note: "x"), .after(10, id: "w2", note: "y"),
            .ask(id: "q", milliseconds: nil))
        guard case .cancelled(let byTimer, _) = try bench.ask(.cancel(name, .timer("w"))),
            case .cancelled(let byID, _) = try bench.ask(.cancel(name, .id("w"))),
            case .cancelled(let byRun, _) = try bench.ask(.cancel(name, .effect(4))),
            case .cancelled(let timer, _) = try bench.ask(.cancel(name, .timer("t")))
        else {
            Issue.record("refused")
            return
        }
        #expect(byTimer == [] && byID == [1] && byRun == [4] && timer == [2])
        #expect(try bench.rows() == ["sleeping w2"])
    }

    @Test func `failed effects are listed, and retried by hand`() throws {
        let bench = try EffectBench()
        try bench.plan(.perform("work", id: nil, then: "got", tries: 1, policy: "replace"))
        try bench.report(.failed(reason: "broken", isPermanent: true))
        guard
            case .effects(let rows, let next) = try bench.ask(
                .effects(EffectsQuery(to: name, phase: .failed))), let row = rows.first
        else {
            Issue.record("not listed")
            return
        }
        #expect(rows.count == 1 && next == nil && row.body.reason == "broken")
        try bench.ask(.retry(name, effect: row.ref.number))
        #expect(bench.atWork == ["work x 1"])
        try bench.report(.completed(1))
        #expect(try bench.log() == ["got 1"])
        #expect(try bench.rows() == [])
    }

    @Test func `retry starts a waiting attempt now; a running one can't be retried`() throws {
        let bench = try EffectBench()
        try bench.plan(work("w", tries: 5))
        guard case .failure(.noSuchEffect) = try bench.ask(.retry(name, effect: 1)) else {
            Issue.record("tried what runs")
            return
        }
        try bench.report(.failed(reason: "busy", isPermanent: false))
        #expect(bench.atWork == [])
        try bench.ask(.retry(name, effect: 1))
        #expect(bench.atWork == ["work x 2"])
    }

    @Test func `effects of all instances are listed page by page`() throws {
        let bench = try EffectBench()
        for number in 0..<25 {
            try bench.plan(.after(1_000, id: "t", note: "x"), work("w"), at: "lab/i\(number)")
        }
        var seen: [StoredEffect] = []
        var after: EffectRef?
        repeat {
            let query = EffectsQuery(phase: .sleeping, after: after, limit: 7)
            guard case .effects(let rows, let next) = try bench.ask(.effects(query)) else {
                throw Problem("no page")
            }
            seen += rows
            after = next
        } while after != nil
        #expect(seen.map(\.body.owner) == (0..<25).map { "lab/i\($0)" })
    }

    @Test func `get shows effects`() throws {
        let bench = try EffectBench()
        try bench.plan(work("w"), .after(10, id: "t", note: "x"))
        guard case .got(let got) = try bench.ask(.get(Get(to: name, at: nil))) else {
            Issue.record("no answer")
            return
        }
        #expect(got.effects.map(\.body.phase) == [.active, .sleeping])
    }
}
