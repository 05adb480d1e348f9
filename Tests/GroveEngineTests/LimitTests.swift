import Testing
import Transducers

@testable import GroveEngine

@Suite("Bounds of the whole engine")
struct LimitTests {
    @Test func `the number of requests that wait for states is bounded`() throws {
        let harness = try EngineHarness()
        let name = try harness.instance("order/o")
        _ = try harness.ask(.create(Create(to: name, input: nil, dedup: nil)))
        let wait = Operation.await(Await(to: name, until: .done, timeout: 3_600_000))
        for number in 0..<Limits.waitersMax {
            try harness.receive(wait, from: ConnectionID(UInt64(number % 100 + 1)))
        }
        #expect(try harness.flush().replies.isEmpty)
        #expect(try harness.ask(wait).summary.hasPrefix("limit("))
        // A closed connection makes room.
        harness.engine.connectionClosed(ConnectionID(1))
        let gone = try harness.flush().replies
        #expect(gone.count == 656 && gone.allSatisfy { $0.connection == ConnectionID(1) })
        try harness.receive(wait, from: ConnectionID(2))
        #expect(try harness.flush().replies.isEmpty)
    }

    @Test func `a request past the commit queue's bound is OVERLOADED`()
        throws
    {
        var options = EngineOptions()
        options.queueRequestsMax = 2
        let harness = try EngineHarness(options: options)
        for _ in 0..<3 { try harness.receive(try harness.makeSend("counter/a", #""increment""#)) }
        let replies = try harness.flush().replies.map(\.reply.summary)
        #expect(replies.count == 3 && replies.last == "overloaded")
    }

    @Test func `the outputs of a step have at most a mebibyte, to the byte`() throws {
        let harness = try EngineHarness([Definition(Loud.self, named: "loud", version: "1")])
        func say(_ times: Int, _ bytes: Int) throws -> String {
            try harness.send(
                "loud/a", #"{"type":"say","times":\#(times),"bytes":\#(bytes)}"#)
        }
        // A text has two quotes in addition.
        #expect(try say(1, Limits.outputBytesPerStepMax - 2) == "v1 changed")
        #expect(try say(1, Limits.outputBytesPerStepMax - 1).hasPrefix("evaluationLimit"))
        #expect(try say(4, Limits.outputBytesPerStepMax / 4 - 2) == "v2 changed")
        #expect(try say(4, Limits.outputBytesPerStepMax / 4 - 1).hasPrefix("evaluationLimit"))
        #expect(try harness.get("loud/a") == #"v2 {"said":5}"#)
    }

    @Test func `a page with large states ends early, and the next one continues`() throws {
        let harness = try EngineHarness(testDefinitions)
        for number in 10..<30 {
            _ = try harness.send("quiet/\(number)", #"{"type":"grow","value":100000}"#)
        }
        var list = List()
        list.limit = Limits.pageItemsMax
        guard case .listed(let items, let next?) = try harness.ask(.list(list)) else {
            throw Problem("no page, or no next")
        }
        #expect(items.count == 11, "the one that passes the mebibyte is the last")
        list.after = next
        guard case .listed(let rest, nil) = try harness.ask(.list(list)) else {
            throw Problem("no second page, or a next")
        }
        #expect(
            (items + rest).map { "\($0.name)" } == (10..<30).map { "quiet/\($0)" })
    }

    @Test func `catching up reads a bounded number of steps between two commits`() throws {
        let harness = try EngineHarness()
        let most = Limits.catchUpStepsPerTurn
        for _ in 0..<(2 * most + 1) {
            try harness.receive(harness.makeSend("counter/a", #""increment""#))
        }
        _ = try harness.flush()
        _ = try harness.subscribe("s", kinds: [.output], from: .first)
        var turns = [harness.takePublished().count]
        while harness.engine.hasBackgroundWork {
            let actions = try harness.engine.work(at: harness.now, store: harness.store)
            turns.append(actions.publications.count)
            // A commit in between is not delayed.
            #expect(try harness.send("counter/b", #""increment""#).hasPrefix("v"))
            _ = harness.takePublished()
        }
        #expect(turns.allSatisfy { $0 <= most + 1 }, "\(turns)")
        #expect(turns.filter { $0 > 0 }.count >= 3, "\(turns)")
    }

    @Test func `an imported state has at most a mebibyte, like every state`() throws {
        let harness = try EngineHarness(testDefinitions)
        func makeImport(_ bytes: Int) throws -> String {
            let text = String(repeating: "x", count: bytes - #"{"text":""}"#.count)
            return try harness.ask(
                .importing(
                    Import(
                        to: try harness.instance("quiet/\(bytes)"), version: 1,
                        state: Array(#"{"text":"\#(text)"}"#.utf8), isDone: false, result: nil,
                        dedup: nil, isTrial: false))
            ).summary
        }
        #expect(try makeImport(Limits.stateBytesMax) == "v1 changed")
        #expect(try makeImport(Limits.stateBytesMax + 1).hasPrefix("stateTooLarge"))
    }
}

/// Emits texts of a given number of bytes.
private enum Loud: EffectTransducer, InitialState {
    struct State: NonTerminal, Codable, Sendable { var said = 0 }
    enum Event: Codable, Sendable { case say(times: Int, bytes: Int) }
    typealias Output = String
    static let initialState = State()
    static func update(_ state: inout State, event: Event) -> (Self.Effect?, Output) {
        guard case .say(let times, let bytes) = event else { return (nil, "") }
        state.said += 1
        return (
            times > 1 ? .event(.say(times: times - 1, bytes: bytes)) : nil,
            String(repeating: "x", count: bytes)
        )
    }
}
