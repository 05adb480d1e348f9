import GroveEngine
import GroveTestSupport
import OrderedJSON
import Testing

/// Versions, states and histories of instances with many records of kind `.effect`: each of these
/// links to the step before all of them.
@Suite("Links past records of effects")
struct EffectWalkTests {
    private let store = CountingStore()

    /// An instance with two steps, `tries` failed attempts of a handler, and one more step.
    private func tried(_ tries: Int) throws -> EffectBench {
        let bench = try EffectBench(store: store)
        try bench.send(.note("one"))
        try bench.plan(.perform("work", id: "w", then: nil, tries: 100_000, policy: "replace"))
        try fail(bench, tries)
        try bench.send(.note("three"))
        try fail(bench, tries)
        return bench
    }

    private func fail(_ bench: EffectBench, _ tries: Int) throws {
        for _ in 0..<tries {
            try bench.report(.failed(reason: "no", isPermanent: false))
            while bench.dispatched.isEmpty, let next = bench.engine.nextDue {
                try bench.advance(by: max(1, next.milliseconds - bench.now.milliseconds))
            }
        }
    }

    private func name() throws -> InstanceName { try #require(InstanceName("lab/a")) }

    /// The reply to a request, and the number of steps read for it.
    private func reads(
        _ bench: EffectBench, _ operation: Operation
    ) throws -> (reply: Reply, reads: Int) {
        store.reads = 0
        let token = try bench.begin(operation)
        try bench.work()
        return (try #require(bench.answers[token]), store.reads)
    }

    @Test func `a version before thousands of attempts is found at once`() throws {
        let bench = try tried(400)
        for version: Int64 in 0...3 {
            let (reply, count) = try reads(bench, .get(Get(to: name(), at: version)))
            guard case .got(let got) = reply else { throw Problem("\(reply)") }
            #expect(got.version == version && count < 12, "\(count) reads")
            #expect(got.state.text.contains("three") == (version == 3))
        }
        let (reply, count) = try reads(bench, .history(History(to: name(), limit: 10)))
        #expect(reply.summary.split(separator: " ").count == 3 && count < 16, "\(count) reads")
    }

    @Test func `a version before thousands of attempts is found at once after a restart`() throws {
        let bench = try tried(100)
        try bench.restart()
        try bench.report(.completed(1))
        let (reply, count) = try reads(bench, .get(Get(to: name(), at: 1)))
        guard case .got(let got) = reply else { throw Problem("\(reply)") }
        #expect(got.version == 1 && count < 14, "\(count) reads")
    }

    @Test func `a snapshot of a moment among thousands of attempts doesn't read them all`() throws {
        let bench = try tried(100)
        var selection = Selection()
        selection.kinds = .output
        var subscribe = Subscribe(
            name: SubscriptionName(Array("late".utf8)), selection: selection)
        subscribe.snapshot = true
        subscribe.credit = 0
        _ = try bench.ask(.subscribe(subscribe))
        try bench.work()
        try fail(bench, 300)
        store.reads = 0
        _ = try bench.ask(.credit(subscribe.name, 1))
        let sent = try bench.published()
        #expect(sent.contains { $0.hasPrefix("late snapshot lab/a@3") })
        #expect(store.reads < 120, "\(store.reads) reads")
    }

    @Test func `steps after a truncation hold as much as before`() throws {
        let bench = try tried(100)
        let before = try bench.got("lab/a")
        for steps: Int64 in [150, 60, 5] {
            let bounds = JournalBounds(stepsMax: steps)
            while try bench.truncate(to: bounds) {}
            let got = try bench.got("lab/a")
            #expect(got.version == 3 && got.state == before.state)
            let (reply, count) = try reads(bench, .get(Get(to: name(), at: 2)))
            // Its state is in the next step, as long as the journal holds that.
            if case .got(let got) = reply { #expect(got.version == 2) }
            if case .failure(let failure) = reply { #expect("\(failure)".contains("NotHeld")) }
            #expect(count < 40, "\(count) reads")
            let history = try reads(bench, .history(History(to: name(), limit: 10)))
            #expect(history.reads < 16)
            #expect(history.reply.summary.contains("first=") || steps > 150)
        }
        try fail(bench, 3)
        let (reply, _) = try reads(bench, .get(Get(to: name(), at: 3)))
        guard case .got(let got) = reply else { throw Problem("\(reply)") }
        #expect(got.state == before.state)
    }
}
