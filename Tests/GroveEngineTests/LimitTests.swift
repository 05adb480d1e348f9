import GroveEngine
import Testing

@Suite("Bounds of the whole engine")
struct LimitTests {
    @Test func `only so many requests wait for states, and one more is told so`() throws {
        let harness = try EngineHarness()
        let name = try harness.instance("order/o")
        _ = try harness.ask(.create(Create(to: name, hasInput: false, dedup: nil)))
        let wait = Operation.await(Await(to: name, until: .done, timeout: 3_600_000))
        for number in 0..<Limits.waitersMax {
            try harness.take(wait, from: ConnectionID(UInt64(number % 100 + 1)))
        }
        #expect(try harness.flush().replies.isEmpty)
        #expect(try harness.ask(wait).summary.hasPrefix("limit("))
        // Who hangs up makes room.
        harness.engine.connectionClosed(ConnectionID(1))
        let gone = try harness.flush().replies
        #expect(gone.count == 656 && gone.allSatisfy { $0.connection == ConnectionID(1) })
        try harness.take(wait, from: ConnectionID(2))
        #expect(try harness.flush().replies.isEmpty)
    }

    @Test func `a request past what may wait for a commit is overloaded, and nothing else`()
        throws
    {
        var options = EngineOptions()
        options.queueRequestsMax = 2
        let harness = try EngineHarness(options: options)
        for _ in 0..<3 { try harness.take(try harness.makeSend("counter/a", #""increment""#)) }
        let replies = try harness.flush().replies.map(\.reply.summary)
        #expect(replies.count == 3 && replies.last == "overloaded")
    }
}
