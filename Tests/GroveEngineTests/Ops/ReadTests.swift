import GroveEngine
import GroveTestSupport
import Testing
import Transducers

@Suite("get, list, history")
struct ReadTests {
    @Test func `get answers any version`() throws {
        let harness = try EngineHarness()
        for _ in 1...300 { _ = try harness.send("counter/a", #""increment""#) }
        for version in [0, 1, 63, 64, 65, 127, 128, 255, 256, 299, 300] as [Int64] {
            let state = #"v\#(version) {"count":\#(version)}"#
            #expect(try harness.get("counter/a", at: version) == state)
        }
        #expect(
            try harness.get("counter/a", at: 301) == "versionPastEnd(asked: 301, actual: 300)")
    }

    @Test func `get answers a version whose step changed nothing`() throws {
        let harness = try EngineHarness()
        _ = try harness.send("counter/a", #""increment""#)
        for _ in 1...10 { _ = try harness.send("counter/a", #"{"type":"add","amount":0}"#) }
        _ = try harness.send("counter/a", #""increment""#)
        #expect(try harness.get("counter/a", at: 7) == #"v7 {"count":1}"#)
    }

    @Test func `versions of a batch that is not committed can be read in it`() throws {
        let harness = try EngineHarness()
        let name = try harness.instance("counter/a")
        for _ in 1...70 { try harness.receive(harness.makeSend("counter/a", #""increment""#)) }
        try harness.receive(.get(Get(to: name, at: 3)))
        try harness.receive(.history(History(to: name, after: 68)))
        let replies = try harness.flush().replies.suffix(2).map(\.reply.summary)
        #expect(replies == [#"v3 {"count":3}"#, #"69:"increment" 70:"increment""#])
    }

    @Test func `history pages through every version once`() throws {
        let harness = try EngineHarness()
        for index in 1...200 {
            _ = try harness.send("counter/a", #"{"type":"add","amount":\#(index)}"#)
            _ = try harness.send("counter/b", #""increment""#)
        }
        let name = try harness.instance("counter/a")
        var after: Int64 = 0
        var seen: [Int64] = []
        while true {
            let reply = try harness.ask(.history(History(to: name, after: after, limit: 7)))
            guard case .history(let steps, let next, _) = reply else { throw Problem("\(reply)") }
            seen += steps.map(\.version)
            for step in steps {
                #expect(step.event?.text == #"{"type":"add","amount":\#(step.version)}"#)
            }
            guard let next else { break }
            after = next
        }
        #expect(seen == Array(1...200))
    }

    @Test func `a page of large states ends early, and continues after it`() throws {
        let harness = try EngineHarness(testDefinitions)
        for size in 1...5 {
            let event = #"{"type":"grow","value":\#(400_000 + size)}"#
            _ = try harness.send("quiet/a", event)
        }
        let name = try harness.instance("quiet/a")
        var after: Int64 = 0
        var pages: [[Int64]] = []
        while true {
            let reply = try harness.ask(.history(History(to: name, after: after)))
            guard case .history(let steps, let next, _) = reply else { throw Problem("\(reply)") }
            pages.append(steps.map(\.version))
            guard let next else { break }
            after = next
        }
        #expect(pages == [[1, 2], [3, 4], [5]])
    }

    @Test func `history of nothing, past the end, and of a stopped instance`() throws {
        let harness = try EngineHarness()
        let name = try harness.instance("counter/a")
        #expect(try harness.ask(.history(History(to: name))).summary.hasPrefix("noSuchInstance"))
        _ = try harness.send("counter/a", #""increment""#)
        _ = try harness.ask(.stop(name, reason: nil))
        #expect(try harness.ask(.history(History(to: name))).summary == #"1:"increment""#)
        #expect(try harness.ask(.history(History(to: name, after: 9))).summary == "")
    }

    @Test func `the bytes of a batch are bounded`() throws {
        let harness = try EngineHarness(testDefinitions)
        let event = #"{"type":"grow","value":900000}"#
        let burst = try (1...60).map { number in
            Request(
                connection: EngineHarness.connection, token: UInt32(number),
                operation: try harness.makeSend("quiet/a\(number)", event))
        }
        var place = 0
        var commits: [Int] = []
        while place < burst.count {
            let before = place
            try harness.engine.receive(
                burst[...], from: &place, at: harness.now, store: harness.store)
            commits.append(place - before)
            #expect(try harness.flush().replies.count == place - before)
        }
        #expect(commits.count > 3)
        #expect(commits.allSatisfy { $0 <= 20 })
    }

    @Test func `list pages in byte order and filters`() throws {
        let harness = try EngineHarness()
        for name in ["b", "a", "B", "a-1"] { _ = try harness.send("turnstile/\(name)", #""COIN""#) }
        _ = try harness.send("turnstile/a", #""PUSH""#)
        _ = try harness.send("counter/a", #""increment""#)
        func list(_ change: (inout List) -> Void) throws -> String {
            var list = List()
            change(&list)
            return try harness.ask(.list(list)).summary
        }
        let all = "counter/a@1 turnstile/B@1 turnstile/a@2 turnstile/a-1@1 turnstile/b@1"
        #expect(try list { _ in } == all)
        #expect(try list { $0.limit = 2 } == "counter/a@1 turnstile/B@1 next=turnstile/B")
        #expect(
            try list {
                $0.limit = 2
                $0.after = "turnstile/B"
            } == "turnstile/a@2 turnstile/a-1@1 next=turnstile/a-1")
        #expect(try list { $0.machine = "counter" } == "counter/a@1")
        #expect(
            try list {
                $0.machine = "turnstile"
                $0.prefix = "a"
            } == "turnstile/a@2 turnstile/a-1@1")
        #expect(try list { $0.prefix = "a" } == "counter/a@1 turnstile/a@2 turnstile/a-1@1")
        #expect(
            try list {
                $0.machine = "turnstile"
                $0.state = "locked"
            } == "turnstile/a@2")
        #expect(try list { $0.isDone = true } == "")
        #expect(try list { $0.state = "locked" }.hasPrefix("badRequest(path: \"$.state\""))
        #expect(
            try list {
                $0.machine = "counter"
                $0.state = "locked"
            }.hasPrefix("badRequest(path: \"$.state\""))
        #expect(try list { $0.machine = "nothing" } == "noSuchMachine(\"nothing\")")
    }

    @Test func `an instance that isn't in memory is read once`() throws {
        let store = CountingStore()
        let harness = try EngineHarness(testDefinitions)
        let send = try harness.makeSend("quiet/a", #"{"type":"set","value":"x"}"#)
        for _ in 0..<3 {
            // Nothing is in the memory of a new engine.
            var engine = Engine(catalogue: try Catalogue(testDefinitions), store: store)
            store.asked = []
            for _ in 0..<5 {
                try engine.receive(
                    Request(connection: ConnectionID(1), token: 0, operation: send),
                    at: harness.now, store: store)
            }
            #expect(store.asked == ["instance"] && store.reads == 0)
            _ = try engine.flush(to: store, at: harness.now)
            #expect(store.asked == ["instance"] && store.reads == 0)
        }
    }

    @Test func `links reach any version in a bounded number of reads`() throws {
        let store = CountingStore()
        var engine = Engine(catalogue: try Catalogue(testDefinitions), store: store)
        let harness = try EngineHarness(testDefinitions)
        let send = try harness.makeSend("quiet/a", #"{"type":"set","value":"x"}"#)
        for _ in 0..<10_000 {
            try engine.receive(
                Request(connection: ConnectionID(1), token: 0, operation: send),
                at: harness.now, store: store)
        }
        _ = try engine.flush(to: store, at: harness.now)
        var random = SeededRandom(seed: 7)
        for _ in 0..<100 {
            let version = Int64.random(in: 0...10_000, using: &random)
            store.reads = 0
            let get = Get(to: try harness.instance("quiet/a"), at: version)
            try engine.receive(
                Request(connection: ConnectionID(1), token: 0, operation: .get(get)),
                at: harness.now, store: store)
            let reply = try engine.flush(to: store, at: harness.now).replies[0].reply.summary
            #expect(reply.hasPrefix("v\(version) "))
            #expect(store.reads <= 4 * 64 + 2, "version \(version) took \(store.reads) reads")
        }
    }
}
