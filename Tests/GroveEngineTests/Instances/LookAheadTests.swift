import GroveEngine
import GroveTestSupport
import OrderedJSON
import Testing

/// Memory that is loaded before its request: nothing else may differ.
@Suite("Engine+LookAhead")
struct LookAheadTests {
    /// Some thousand requests: to few instances and many, new, deleted, done and unknown ones.
    private func requests(_ harness: EngineHarness, seed: UInt64) throws -> [Request] {
        var random = SeededRandom(seed: seed)
        return try (0..<3_000).map { number in
            let name = "counter/\(Int.random(in: 0..<200, using: &random))"
            let operation: Operation =
                switch Int.random(in: 0..<20, using: &random) {
                case 0: .delete(try harness.instance(name))
                case 1: .get(Get(to: try harness.instance(name), at: nil))
                case 2: .stop(try harness.instance(name), reason: nil)
                case 3: try harness.makeSend("turnstile/\(number % 7)", #""coin""#)
                case 4: try harness.makeSend("nothing/\(number)", #""coin""#)
                case 5: try harness.makeSend(name, #""increment""#, create: .never)
                case 6: .stats
                default: try harness.makeSend(name, #""increment""#, dedup: "\(number % 1_000)")
                }
            return Request(
                connection: EngineHarness.connection, token: UInt32(number), operation: operation)
        }
    }

    @Test(arguments: [1, 2, 3])
    func `requests have the same answers in bursts of every size as one by one`(
        seed: UInt64
    ) throws {
        var answers: [[String]] = []
        for sizes in [1...1, 2...5, 1...64] {
            var options = EngineOptions()
            // Instances come and go: what was looked at ahead is often gone.
            options.residentInstancesMax = 50
            let harness = try EngineHarness(options: options)
            let all = try requests(harness, seed: seed)
            var random = SeededRandom(seed: 9)
            var replies: [String] = []
            var place = 0
            while place < all.count {
                let size = Int.random(in: sizes, using: &random)
                let turn = all[place..<min(all.count, place + size)]
                while place < turn.endIndex {
                    try harness.engine.receive(
                        turn, from: &place, at: harness.now, store: harness.store)
                    // In the order of requests: those that need no commit are answered first.
                    replies += try harness.flush().replies.sorted { $0.token < $1.token }
                        .map { "\($0.token) \($0.reply.summary)" }
                }
            }
            answers.append(replies)
        }
        #expect(answers[0].count == 3_000)
        #expect(answers[1] == answers[0])
        #expect(answers[2] == answers[0])
    }

    @Test(arguments: [1, 2, 7, 1_000])
    func `reports of handlers have the same results in lists of every size`(
        most: Int
    ) throws {
        let bench = try EffectBench(concurrency: 1_000)
        // Instances come and go here, too: none of them fits.
        try bench.restart { $0.residentInstancesMax = 1 }
        let names = (0..<300).map { "lab/\($0)" }
        for name in names {
            try bench.plan(
                .perform("work", id: "w", then: "got", tries: 1, policy: "replace"), at: name)
        }
        try bench.ask(.delete(#require(InstanceName("lab/77"))))
        #expect(bench.atWork.count == 300)
        try bench.completeAll(["sum": 7], inListsOf: most)
        #expect(bench.atWork == [])
        for name in names where name != "lab/77" {
            #expect(try bench.log(of: name) == [#"got {"sum":7}"#])
            #expect(try bench.rows(of: name) == [])
        }
    }
}
