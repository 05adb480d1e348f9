import GroveEngine
import GroveTestSupport
import Testing
import Transducers

@Suite("subscriptions")
struct SubscriptionTests {
    @Test func `a live subscription gets outputs, state and lifecycle of a step in order`() throws {
        let harness = try EngineHarness()
        #expect(try harness.subscribe("s") == "subscribed 0 first 0")
        try harness.settle()
        _ = try harness.send("counter/a", #""increment""#)
        #expect(
            harness.takePublished() == [
                "s mark live 0", "s 1.0 counter/a@0 created",
                #"s 1.1 counter/a@0 state null>{"count":0}"#, "s 2.0 counter/a@1 output 1",
                #"s 2.1 counter/a@1 state {"count":0}>{"count":1}"#,
            ])
    }

    @Test func `from now begins after all earlier events, committed or not`() throws {
        let harness = try EngineHarness()
        try harness.receive(harness.makeSend("counter/a", #""increment""#))
        var request = Subscribe(name: SubscriptionName([0x73]), selection: Selection())
        request.start = .now
        try harness.receive(.subscribe(request))
        try harness.receive(harness.makeSend("counter/a", #""increment""#))
        harness.published += try harness.flush().publications
        try harness.settle()
        #expect(
            harness.takePublished() == [
                "s 3.0 counter/a@2 output 2",
                #"s 3.1 counter/a@2 state {"count":1}>{"count":2}"#, "s mark live 3",
            ])
    }

    @Test func `from first reads the journal and becomes live without gap or overlap`() throws {
        let harness = try EngineHarness()
        for _ in 1...600 { _ = try harness.send("counter/a", #""increment""#) }
        _ = try harness.subscribe("s", kinds: .output, from: .first)
        var sent = 600
        while harness.engine.hasBackgroundWork {
            harness.published += try harness.engine.work(
                at: harness.now, store: harness.store
            ).publications
            if sent < 700 {
                _ = try harness.send("counter/a", #""increment""#)
                sent += 1
            }
        }
        while sent < 700 {
            _ = try harness.send("counter/a", #""increment""#)
            sent += 1
        }
        try harness.settle()
        let records = harness.takePublished().filter { !$0.contains("mark") }
        #expect(records == (1...700).map { "s \($0 + 1).0 counter/a@\($0) output \($0)" })
    }

    @Test func `a cursor within a step resumes after that record`() throws {
        let harness = try EngineHarness()
        for _ in 1...2 { _ = try harness.send("counter/a", #""increment""#) }
        let after = Cursor(sequence: 2, index: 0)
        _ = try harness.subscribe("s", from: .after(after))
        try harness.settle()
        #expect(
            harness.takePublished() == [
                #"s 2.1 counter/a@1 state {"count":0}>{"count":1}"#,
                "s 3.0 counter/a@2 output 2",
                #"s 3.1 counter/a@2 state {"count":1}>{"count":2}"#, "s mark live 3",
            ])
    }

    @Test func `cursors past the head, foreign ones and names in use are refused`() throws {
        let harness = try EngineHarness()
        _ = try harness.send("counter/a", #""increment""#)
        let past = try harness.subscribe("s", from: .after(Cursor(sequence: 3)))
        #expect(past.hasPrefix("cursorForeign"))
        #expect(try harness.subscribe("s", from: .foreign).hasPrefix("cursorForeign"))
        #expect(
            try harness.subscribe("s", from: .after(Cursor(sequence: 2))) == "subscribed 2 first 0")
        #expect(try harness.subscribe("s").contains("$.sub"))
        #expect(try harness.ask(.unsubscribe(SubscriptionName([0x73]))).summary == "done")
        let gone = try harness.ask(.unsubscribe(SubscriptionName([0x73])))
        #expect(gone.summary == "noSuchSubscription")
        #expect(
            try harness.ask(.credit(SubscriptionName([0x73]), 1)).summary == "noSuchSubscription")
    }

    @Test func `selections narrow by machine, instance, kind and type`() throws {
        let harness = try EngineHarness()
        _ = try harness.subscribe("m", kinds: .output, machine: "coun*")
        _ = try harness.subscribe("i", kinds: .output, instance: "o-?")
        _ = try harness.subscribe(
            "t", kinds: [.output, .lifecycle], machine: "order", type: "pay*")
        _ = try harness.subscribe("x", kinds: .trace, machine: "counter")
        try harness.settle()
        _ = harness.takePublished()
        _ = try harness.send("counter/a", #""increment""#)
        _ = try harness.send("order/o-1", #"{"type":"place","total":5}"#)
        _ = try harness.send("order/o-12", #"{"type":"place","total":5}"#)
        _ = try harness.send("order/o-1", #"{"type":"pay","amount":2}"#)
        let published = harness.takePublished().map { line in
            line.split(separator: " ").prefix(4).joined(separator: " ")
        }
        #expect(
            published == [
                "m 2.0 counter/a@1 output", "x 2.2 counter/a@1 trace",
                "t 3.0 order/o-1@0 created", "i 4.0 order/o-1@1 output",
                "t 5.0 order/o-12@0 created", "i,t 7.0 order/o-1@2 output",
            ])
    }

    @Test func `live and catch-up show the very same records`() throws {
        let harness = try EngineHarness(testDefinitions)
        let kinds: Selection.Kinds = [.output, .state, .lifecycle, .trace]
        _ = try harness.subscribe("s", kinds: kinds)
        try harness.settle()
        _ = harness.takePublished()
        try driveRandomly(harness, seed: 11)
        let live = harness.takePublished()
        _ = try harness.ask(.unsubscribe(SubscriptionName([0x73])))
        _ = try harness.subscribe("s", kinds: kinds, from: .first)
        try harness.settle()
        let later = harness.takePublished().filter { !$0.contains("mark") }
        #expect(live == later)
        #expect(live.count > 200)
    }

    /// Sends to a few instances, in batches of seeded sizes; deletes none, so that
    /// all records stay readable.
    private func driveRandomly(_ harness: EngineHarness, seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let events = [
            ("counter/a", #""increment""#), ("counter/b", #"{"type":"add","amount":0}"#),
            ("turnstile/t", #""COIN""#), ("turnstile/t", #""PUSH""#), ("chain/c", #""tree""#),
            ("quiet/q", #"{"type":"set","value":"x"}"#), ("quiet/q", #""nothing""#),
            ("countdown/n", #""tick""#),
        ]
        for _ in 1...100 {
            for _ in 1...Int.random(in: 1...5, using: &random) {
                let (to, event) = events[Int.random(in: 0..<events.count, using: &random)]
                try harness.receive(harness.makeSend(to, event))
            }
            harness.published += try harness.flush().publications
        }
    }

    // MARK: Credit and windows

    @Test func `credit bounds the records, and a grant continues where it stopped`() throws {
        let harness = try EngineHarness()
        _ = try harness.subscribe("s", kinds: .output, credit: 2)
        try harness.settle()
        for _ in 1...5 { _ = try harness.send("counter/a", #""increment""#) }
        try harness.settle()
        #expect(
            harness.takePublished() == [
                "s mark live 0", "s 2.0 counter/a@1 output 1", "s 3.0 counter/a@2 output 2",
            ])
        #expect(try harness.ask(.credit(SubscriptionName([0x73]), 2)).summary == "done")
        try harness.settle()
        #expect(
            harness.takePublished() == [
                "s 4.0 counter/a@3 output 3", "s 5.0 counter/a@4 output 4",
            ])
        _ = try harness.ask(.credit(SubscriptionName([0x73]), 10))
        try harness.settle()
        _ = try harness.send("counter/a", #""increment""#)
        #expect(
            harness.takePublished() == [
                "s 6.0 counter/a@5 output 5", "s 7.0 counter/a@6 output 6",
            ])
    }

    @Test func `marks come also at credit 0, and records that do not fit need none`() throws {
        let harness = try EngineHarness()
        _ = try harness.send("turnstile/a", #""COIN""#)
        _ = try harness.subscribe("s", machine: "counter", from: .first, credit: 0)
        try harness.settle()
        #expect(harness.takePublished() == ["s mark live 2"])
    }

    @Test func `records on their way are bounded in total, and none is missed`() throws {
        var options = EngineOptions()
        options.publicationsWindow = 4_000
        let harness = try EngineHarness(options: options)
        let connections = (2...21).map { ConnectionID($0) }
        for connection in connections {
            _ = try harness.subscribe(
                "s\(connection.value)", kinds: .output, connection: connection)
        }
        try harness.settle()
        func weight() -> Int {
            harness.published.reduce(0) { $0 + $1.weight * $1.recipients.count }
        }
        func outputs(_ connection: ConnectionID) -> Int {
            harness.published.filter {
                $0.summary.contains("output") && to($0, "s\(connection.value)")
            }.count
        }
        for _ in 1...50 { _ = try harness.send("counter/a", #""increment""#) }
        let record = 400
        #expect(weight() <= 6_000 + record, "half as much again for those that have none")
        // Some clients read; the others never do, and delay nobody.
        let readers = connections.prefix(10)
        var rounds = 0
        while readers.contains(where: { outputs($0) < 50 }), rounds < 2_000 {
            for reader in readers {
                harness.engine.drained(
                    reader, through: self.weight(harness, "s\(reader.value)"))
            }
            try harness.settle()
            rounds += 1
        }
        #expect(readers.allSatisfy { outputs($0) == 50 }, "\(rounds)")
        // Closed connections leave their places.
        for connection in connections { harness.engine.connectionClosed(connection) }
        _ = try harness.subscribe("late", kinds: .output)
        try harness.settle()
        for _ in 1...8 { _ = try harness.send("counter/a", #""increment""#) }
        let late = harness.published.filter {
            $0.summary.contains("output") && to($0, "late")
        }
        #expect(late.count == 8)
    }

    @Test func `a full connection pauses its subscriptions and delays nobody else's`() throws {
        var options = EngineOptions()
        options.connectionWindow = 1_000
        let harness = try EngineHarness(options: options)
        let slow = ConnectionID(2)
        _ = try harness.subscribe("f", kinds: .output)
        _ = try harness.subscribe("s", kinds: .output, connection: slow)
        try harness.settle()
        var posted = 0
        for _ in 1...50 {
            _ = try harness.send("counter/a", #""increment""#)
            harness.engine.drained(EngineHarness.connection, through: weight(harness, "f"))
        }
        posted = weight(harness, "s")
        #expect(posted < 1_300, "a window, and at most one record more")
        #expect(
            harness.published.filter { $0.summary.contains("output") && to($0, "f") }.count == 50)
        var rounds = 0
        while harness.published.filter({ $0.summary.contains("output") && to($0, "s") }).count < 50
        {
            harness.engine.drained(slow, through: weight(harness, "s"))
            try harness.settle()
            rounds += 1
            try #require(rounds < 100)
        }
        let records = harness.published.filter { to($0, "s") }.map(\.summary)
            .compactMap { $0.split(separator: "output ").last.flatMap { Int($0) } }
        #expect(records == Array(1...50))
    }

    private func to(_ publication: Publication, _ name: String) -> Bool {
        publication.recipients.contains { $0.subscription.bytes.text == name }
    }

    private func weight(_ harness: EngineHarness, _ name: String) -> Int {
        harness.published.filter { to($0, name) }.reduce(0) { $0 + $1.weight }
    }

    @Test func `slow disconnect closes the connection instead of pausing`() throws {
        var options = EngineOptions()
        options.connectionWindow = 500
        let harness = try EngineHarness(options: options)
        _ = try harness.subscribe("s", kinds: .output, slow: .disconnect)
        try harness.settle()
        var closes = 0
        for _ in 1...10 {
            try harness.receive(harness.makeSend("counter/a", #""increment""#))
            closes += try harness.flush().closes.count
        }
        #expect(closes == 1)
    }

    @Test func `conflate is for states alone and shows the newest of each instance`() throws {
        let harness = try EngineHarness()
        #expect(try harness.subscribe("s", slow: .conflate).contains("$.slow"))
        for _ in 1...50 {
            _ = try harness.send("counter/a", #""increment""#)
            _ = try harness.send("counter/b", #""decrement""#)
        }
        _ = try harness.subscribe("s", kinds: .state, from: .first, slow: .conflate)
        try harness.settle()
        #expect(
            harness.takePublished() == [
                #"s 101.1 counter/a@50 state {"count":49}>{"count":50}"#,
                #"s 102.1 counter/b@50 state {"count":-49}>{"count":-50}"#, "s mark live 102",
            ])
    }

    // MARK: Snapshots

    @Test func `a snapshot comes first, of one moment, and everything after it follows`() throws {
        let harness = try EngineHarness()
        for index in 0..<600 {
            _ = try harness.send("counter/\(1000 + index)", #""increment""#)
        }
        let head = harness.store.head
        _ = try harness.subscribe("s", kinds: .output, snapshot: true)
        var turns = 0
        while harness.engine.hasBackgroundWork {
            harness.published += try harness.engine.work(
                at: harness.now, store: harness.store
            ).publications
            turns += 1
            if turns < 5 {
                // Instances before and after the snapshot's position, and a new one.
                for to in ["counter/1001", "counter/1599", "counter/new-\(turns)"] {
                    _ = try harness.send(to, #"{"type":"add","amount":10}"#)
                }
            }
        }
        #expect(turns > 2)
        let published = harness.takePublished()
        let snapshot = (0..<600).map { #"s snapshot counter/\#(1000 + $0)@1 {"count":1}"# }
        #expect(Array(published.prefix(600)) == snapshot)
        #expect(published[600] == "s mark snapshot \(head)")
        let after = published.dropFirst(601).filter { !$0.contains("mark") }
        #expect(after.count == 3 * min(turns, 4), "each event after the moment, once")
        #expect(Set(after).count == after.count)
    }

    @Test func `snapshot records take credit`() throws {
        let harness = try EngineHarness()
        for name in ["a", "b", "c"] { _ = try harness.send("counter/\(name)", #""increment""#) }
        _ = try harness.subscribe("s", kinds: .output, snapshot: true, credit: 2)
        try harness.settle()
        #expect(harness.takePublished().count == 2)
        _ = try harness.ask(.credit(SubscriptionName([0x73]), 5))
        try harness.settle()
        #expect(
            harness.takePublished() == [
                #"s snapshot counter/c@1 {"count":1}"#, "s mark snapshot 6", "s mark live 6",
            ])
    }

    @Test func `snapshot goes with from now only`() throws {
        let harness = try EngineHarness()
        #expect(try harness.subscribe("s", from: .first, snapshot: true).contains("$.snapshot"))
    }

    // MARK: Checkpoints and the end

    @Test func `a rare filter gets checkpoints by time and by count`() throws {
        let harness = try EngineHarness()
        harness.now.milliseconds += 7_200_000
        _ = try harness.subscribe("s", machine: "turnstile")
        try harness.settle()
        _ = harness.takePublished()
        _ = try harness.send("counter/a", #""increment""#)
        harness.now.milliseconds += Limits.checkpointMilliseconds - 1
        harness.published += try harness.engine.work(at: harness.now, store: harness.store)
            .publications
        #expect(harness.takePublished() == [])
        // Checkpoints are checked once a second.
        harness.now.milliseconds += 1_000
        harness.published += try harness.engine.work(at: harness.now, store: harness.store)
            .publications
        #expect(harness.takePublished() == ["s mark checkpoint 2"])
        harness.now.milliseconds -= 3_600_000
        _ = try harness.send("counter/a", #""increment""#)
        harness.published += try harness.engine.work(at: harness.now, store: harness.store)
            .publications
        #expect(harness.takePublished() == ["s mark checkpoint 3"], "a clock was put back")
        for _ in 1...Limits.checkpointRecordsMax / 2 {
            try harness.receive(harness.makeSend("counter/a", #""increment""#))
        }
        _ = try harness.flush()
        harness.published += try harness.engine.work(at: harness.now, store: harness.store)
            .publications
        #expect(harness.takePublished().count == 1)
    }

    @Test func `a step goes to all matching subscriptions, whatever their patterns`() throws {
        let harness = try EngineHarness()
        let wanted: [(name: String, machine: String?, instance: String?)] = [
            ("all", nil, nil), ("machine", "counter", nil), ("glob", "count*", "a"),
            ("instance", "counter", "a"), ("instances", "counter", "a*"), ("any", nil, "a"),
        ]
        let others: [(name: String, machine: String?, instance: String?)] = [
            ("other", "counter", "b"), ("turnstile", "turnstile", nil), ("elsewhere", nil, "b"),
        ]
        for (name, machine, instance) in wanted + others {
            _ = try harness.subscribe(
                name, kinds: .output, machine: machine, instance: instance)
        }
        try harness.settle()
        _ = harness.takePublished()
        _ = try harness.send("counter/a", #""increment""#)
        let told = harness.takePublished().flatMap { $0.split(separator: " ").prefix(1) }
        let named = Set(told.flatMap { $0.split(separator: ",") }.map(String.init))
        #expect(named == Set(wanted.map(\.name)))
        for (name, _, _) in wanted.shuffled() {
            _ = try harness.ask(.unsubscribe(SubscriptionName(Array(name.utf8))))
        }
        _ = try harness.send("counter/a", #""increment""#)
        #expect(harness.takePublished() == [])
    }

    @Test func `a subscription that waited continues where it stopped`()
        throws
    {
        let harness = try EngineHarness()
        _ = try harness.subscribe(
            "s", kinds: .output, machine: "counter", instance: "a", credit: 1)
        try harness.settle()
        _ = harness.takePublished()
        // The second record has no credit; the steps around it aren't selected.
        for name in ["b", "a", "b", "a", "b"] {
            _ = try harness.send("counter/\(name)", #""increment""#)
        }
        #expect(harness.takePublished().count == 1)
        let hasWork = harness.engine.hasBackgroundWork
        #expect(!hasWork)
        _ = try harness.ask(.credit(SubscriptionName(Array("s".utf8)), 5))
        try harness.settle()
        #expect(harness.takePublished().map { $0.hasSuffix("2") } == [true])
    }

    @Test func `a drain sends every cursor for the last time`() throws {
        let harness = try EngineHarness()
        _ = try harness.subscribe("s", machine: "turnstile")
        try harness.settle()
        _ = try harness.send("counter/a", #""increment""#)
        _ = harness.takePublished()
        let last = harness.engine.lastCheckpoints(at: harness.now).publications.map(\.summary)
        #expect(last == ["s mark checkpoint 2"])
    }

    @Test func `a closed connection has no subscriptions left`() throws {
        let harness = try EngineHarness()
        for index in 0..<Limits.subscriptionsPerConnectionMax {
            _ = try harness.subscribe("s\(index)")
        }
        #expect(try harness.subscribe("one more").hasPrefix("limit("))
        harness.engine.connectionClosed(EngineHarness.connection)
        let isAnyLeft = harness.engine.hasSubscriptions
        #expect(!isAnyLeft)
        #expect(try harness.subscribe("s0").hasPrefix("subscribed"))
    }

    @Test func `the server bounds its subscriptions`() throws {
        let harness = try EngineHarness()
        let all = Limits.subscriptionsMax / Limits.subscriptionsPerConnectionMax
        for connection in 1...all {
            for index in 0..<Limits.subscriptionsPerConnectionMax {
                let request = Subscribe(
                    name: SubscriptionName(Array("s\(index)".utf8)), selection: Selection())
                try harness.receive(.subscribe(request), from: ConnectionID(UInt64(connection)))
            }
        }
        let replies = try harness.flush().replies.map(\.reply.summary)
        #expect(replies.count == Limits.subscriptionsMax)
        #expect(replies.allSatisfy { $0.hasPrefix("subscribed") })
        let late = ConnectionID(UInt64(all + 1))
        #expect(
            try harness.subscribe("s", connection: late)
                == "limit(\"the server has 65536 subscriptions\")")
        harness.engine.connectionClosed(ConnectionID(1))
        #expect(try harness.subscribe("s", connection: late).hasPrefix("subscribed"))
    }

    @Test func `a smaller window pauses subscriptions sooner, a larger one resumes them`()
        throws
    {
        let harness = try EngineHarness()
        _ = try harness.subscribe("s", kinds: .output)
        try harness.settle()
        _ = harness.takePublished()
        harness.engine.setConnectionWindow(1)
        for _ in 0..<3 { _ = try harness.send("counter/a", #""increment""#) }
        try harness.settle()
        // The mark `live` isn't sent yet, and it is more than a byte.
        #expect(harness.takePublished().isEmpty)
        harness.engine.setConnectionWindow(1 << 20)
        try harness.settle()
        #expect(
            harness.takePublished() == [
                "s 2.0 counter/a@1 output 1", "s 3.0 counter/a@2 output 2",
                "s 4.0 counter/a@3 output 3",
            ])
    }

    @Test func `later readers get no records of a deleted instance`() throws {
        let harness = try EngineHarness()
        _ = try harness.send("counter/a", #""increment""#)
        _ = try harness.ask(.delete(harness.instance("counter/a")))
        _ = try harness.send("counter/a", #""decrement""#)
        _ = try harness.subscribe("s", kinds: [.output, .lifecycle], from: .first)
        try harness.settle()
        #expect(
            harness.takePublished() == [
                "s 3.0 counter/a@1 deleted", "s 4.0 counter/a@0 created",
                "s 5.0 counter/a@1 output -1", "s mark live 5",
            ])
    }
}
