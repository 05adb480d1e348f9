import BuiltInMachines
import GroveEngine
import GroveTestSupport
import Testing
import Transducers

/// Requests and subscriptions about steps that the journal no longer holds.
@Suite("retention")
struct RetentionTests {
    private func truncate(_ harness: EngineHarness, keeping steps: Int64) throws {
        let bounds = JournalBounds(stepsMax: steps)
        while try harness.engine.truncate(to: bounds, at: harness.now, store: harness.store) {}
    }

    private func history(
        _ harness: EngineHarness, after: Int64 = 0, limit: Int = 3
    ) throws -> String {
        let name = try harness.instance("counter/a")
        let ask = History(to: name, after: after, limit: limit)
        return try harness.ask(.history(ask)).summary.replacing(#"increment"#, with: "i")
    }

    // MARK: Reads

    @Test func `history begins with the first version that is held, and says so`() throws {
        let harness = try EngineHarness()
        for _ in 1...10 { _ = try harness.send("counter/a", #""increment""#) }
        // Steps 1 to 6 are the creation and versions 1 to 5.
        try truncate(harness, keeping: 5)
        #expect(try history(harness) == #"6:"i" 7:"i" 8:"i" next=8 first=6"#)
        #expect(try history(harness, after: 4) == #"6:"i" 7:"i" next=7 first=6"#)
        #expect(try history(harness, after: 5) == #"6:"i" 7:"i" 8:"i" next=8"#)
        #expect(try history(harness, after: 4, limit: 100).hasSuffix(#"10:"i" first=6"#))
        #expect(try history(harness, after: 8) == #"9:"i" 10:"i""#)
        _ = try harness.send("counter/b", #""increment""#)
        try truncate(harness, keeping: 1)
        #expect(try history(harness) == " first=11")
        #expect(try history(harness, after: 10) == "")
    }

    @Test func `history without the creation is complete`() throws {
        let harness = try EngineHarness()
        for _ in 1...2 { _ = try harness.send("counter/a", #""increment""#) }
        try truncate(harness, keeping: 2)
        #expect(try history(harness) == #"1:"i" 2:"i""#)
    }

    @Test func `history over many versions begins at the journal's first step`() throws {
        let harness = try EngineHarness()
        for _ in 1...5_000 { _ = try harness.send("counter/a", #""increment""#) }
        try truncate(harness, keeping: 4_500)
        #expect(try history(harness) == #"501:"i" 502:"i" 503:"i" next=503 first=501"#)
        #expect(try harness.get("counter/a", at: 501) == #"v501 {"count":501}"#)
        #expect(try harness.get("counter/a", at: 4_096) == #"v4096 {"count":4096}"#)
        #expect(
            try harness.get("counter/a", at: 500)
                == "versionNotHeld(asked: 500, first: 501, actual: 5000)")
        #expect(
            try harness.get("counter/a", at: 0)
                == "versionNotHeld(asked: 0, first: 501, actual: 5000)")
    }

    @Test func `get returns every version held, and names the first`() throws {
        let harness = try EngineHarness()
        // Versions 1 to 20; the state changes with every fifth.
        for version in 1...20 {
            let amount = version % 5 == 0 ? 1 : 0
            _ = try harness.send("counter/a", #"{"type":"add","amount":\#(amount)}"#)
        }
        // Versions 7 to 20 are left; the state up to 9 is in version 5.
        try truncate(harness, keeping: 14)
        for version in 7...9 {
            #expect(
                try harness.get("counter/a", at: Int64(version))
                    == "versionNotHeld(asked: \(version), first: 10, actual: 20)")
        }
        for version in 10...20 {
            let state = #"v\#(version) {"count":\#(version / 5)}"#
            #expect(try harness.get("counter/a", at: Int64(version)) == state)
        }
        // Only versions without a change are left: they have the present state.
        for _ in 1...4 { _ = try harness.send("counter/a", #"{"type":"add","amount":0}"#) }
        try truncate(harness, keeping: 3)
        #expect(try harness.get("counter/a", at: 22) == #"v22 {"count":4}"#)
        #expect(
            try harness.get("counter/a", at: 21)
                == "versionNotHeld(asked: 21, first: 22, actual: 24)")
        #expect(try harness.get("counter/a") == #"v24 {"count":4}"#)
    }

    @Test func `a stopped instance has its last version when nothing else is held`() throws {
        let harness = try EngineHarness()
        for _ in 1...3 { _ = try harness.send("counter/a", #""increment""#) }
        _ = try harness.ask(.stop(harness.instance("counter/a"), reason: nil))
        try truncate(harness, keeping: 1)
        #expect(try history(harness) == " first=4")
        #expect(try harness.get("counter/a") == #"v3 {"count":3} done result="stopped""#)
        #expect(
            try harness.get("counter/a", at: 2)
                == "versionNotHeld(asked: 2, first: 3, actual: 3)")
    }

    @Test func `a repeated create is answered without its removed outputs`() throws {
        let harness = try EngineHarness()
        let create = Create(
            to: try harness.instance("counter/a"), input: nil, dedup: Array("k".utf8))
        #expect(try harness.ask(.create(create)).summary == #"created {"count":0} []"#)
        _ = try harness.send("counter/a", #""increment""#, dedup: "s")
        #expect(try harness.ask(.create(create)).summary == #"created {"count":0} [] dup"#)
        _ = try harness.send("counter/b", #""increment""#)
        try truncate(harness, keeping: 1)
        #expect(try harness.ask(.create(create)).summary == "created - [] dup")
        let again = try harness.send("counter/a", #""increment""#, dedup: "s")
        #expect(again == "v1 changed dup")
    }

    // MARK: Steps that know what was before

    @Test func `the first step after a truncation carries the state before it`() throws {
        let harness = try EngineHarness()
        for _ in 1...3 { _ = try harness.send("counter/a", #""increment""#) }
        _ = try harness.send("counter/b", #""increment""#)
        try truncate(harness, keeping: 1)
        harness.now = Timestamp(milliseconds: 9_000)
        _ = try harness.send("counter/a", #"{"type":"add","amount":0}"#)
        _ = try harness.send("counter/a", #""increment""#)
        let step = try #require(try harness.store.record(at: 7))
        #expect(step.base?.state.text == #"{"count":3}"#)
        #expect(step.base?.at == Timestamp(milliseconds: 1_000))
        #expect(step.state == nil && step.stateAt == 7)
        #expect(try harness.store.record(at: 8)?.base == nil, "once is enough")
        #expect(try harness.get("counter/a", at: 3) == #"v3 {"count":3}"#)
        #expect(try harness.get("counter/a", at: 4) == #"v4 {"count":3}"#)
        #expect(
            try harness.get("counter/a", at: 2)
                == "versionNotHeld(asked: 2, first: 3, actual: 5)")
        #expect(try history(harness) == #"4:{"type":"add","amount":0} 5:"i" first=4"#)
    }

    @Test func `a stop after a truncation carries it too, and uses no version`() throws {
        let harness = try EngineHarness()
        for _ in 1...3 { _ = try harness.send("counter/a", #""increment""#) }
        _ = try harness.send("counter/b", #""increment""#)
        try truncate(harness, keeping: 1)
        _ = try harness.ask(.stop(harness.instance("counter/a"), reason: nil))
        let step = try #require(try harness.store.record(at: 7))
        #expect(step.kind == .stopped && step.base?.state.text == #"{"count":3}"#)
        #expect(try history(harness) == " first=4")
    }

    @Test func `a state record has the state before, if it is held`() throws {
        let harness = try EngineHarness()
        for _ in 1...3 { _ = try harness.send("counter/a", #""increment""#) }
        try truncate(harness, keeping: 2)
        _ = try harness.subscribe("s", kinds: .state, from: .first)
        try harness.settle()
        #expect(
            harness.takePublished() == [
                #"s 3.1 counter/a@2 state null>{"count":2}"#,
                #"s 4.1 counter/a@3 state {"count":2}>{"count":3}"#, "s mark live 4",
            ])
        _ = try harness.send("counter/b", #""increment""#)
        try truncate(harness, keeping: 1)
        _ = harness.takePublished()
        _ = try harness.send("counter/a", #""increment""#)
        let live = harness.takePublished()
        #expect(live == [#"s 7.1 counter/a@4 state {"count":3}>{"count":4}"#])
        _ = try harness.subscribe("t", kinds: .state, from: .after(Cursor(sequence: 6)))
        try harness.settle()
        #expect(
            harness.takePublished().first == #"t 7.1 counter/a@4 state {"count":3}>{"count":4}"#,
            "caught up like live")
    }

    // MARK: Subscriptions

    @Test func `a subscription begins with the journal, and refuses earlier cursors`() throws {
        let harness = try EngineHarness()
        for _ in 1...9 { _ = try harness.send("counter/a", #""increment""#) }
        try truncate(harness, keeping: 4)
        #expect(try harness.subscribe("f", from: .first) == "subscribed 6 first 6")
        let old = try harness.subscribe("a", from: .after(Cursor(sequence: 5)))
        #expect(old.hasPrefix("cursorTooOld"))
        let within = try harness.subscribe("a", from: .after(Cursor(sequence: 6, index: 0)))
        #expect(within.hasPrefix("cursorTooOld"))
        #expect(
            try harness.subscribe("a", from: .after(Cursor(sequence: 6))) == "subscribed 6 first 6")
    }

    @Test func `a subscription without credit gets a gap and continues`() throws {
        let harness = try EngineHarness()
        _ = try harness.subscribe("s", kinds: .output, credit: 1)
        try harness.settle()
        for _ in 1...9 { _ = try harness.send("counter/a", #""increment""#) }
        #expect(harness.takePublished() == ["s mark live 0", "s 2.0 counter/a@1 output 1"])
        try truncate(harness, keeping: 3)
        _ = try harness.ask(.credit(SubscriptionName([0x73]), 10))
        try harness.settle()
        #expect(
            harness.takePublished() == [
                "s mark gap 2-7", "s 8.0 counter/a@7 output 7", "s 9.0 counter/a@8 output 8",
                "s 10.0 counter/a@9 output 9",
            ])
        _ = try harness.send("counter/a", #""increment""#)
        #expect(harness.takePublished() == ["s 11.0 counter/a@10 output 10"])
    }

    @Test func `a subscription that catches up gets a gap between two turns`() throws {
        let harness = try EngineHarness()
        for _ in 1...1_000 { _ = try harness.send("counter/a", #""increment""#) }
        _ = try harness.subscribe("s", kinds: .output, from: .first)
        harness.published += try harness.engine.work(
            at: harness.now, store: harness.store
        ).publications
        let told = harness.takePublished()
        let turn = Limits.catchUpStepsPerTurn
        #expect(told.last == "s \(turn).0 counter/a@\(turn - 1) output \(turn - 1)")
        try truncate(harness, keeping: 100)
        try harness.settle()
        let rest = harness.takePublished()
        #expect(rest.first == "s mark gap \(turn)-901")
        #expect(rest.dropFirst().first == "s 902.0 counter/a@901 output 901")
        #expect(rest.count == 1 + 100 + 1)
    }

    @Test func `a subscription interrupted within a step gets the gap from there`() throws {
        let harness = try EngineHarness()
        for _ in 1...3 { _ = try harness.send("counter/a", #""increment""#) }
        _ = try harness.subscribe("s", from: .first, credit: 3)
        try harness.settle()
        #expect(harness.takePublished().last == "s 2.0 counter/a@1 output 1")
        try truncate(harness, keeping: 2)
        _ = try harness.ask(.credit(SubscriptionName([0x73]), 1))
        try harness.settle()
        #expect(
            harness.takePublished() == ["s mark gap 2-2", "s 3.0 counter/a@2 output 2"],
            "its last records are missing")
    }

    @Test func `truncation doesn't affect a live subscription`() throws {
        let harness = try EngineHarness()
        _ = try harness.subscribe("s", kinds: .output, instance: "b")
        try harness.settle()
        for _ in 1...9 { _ = try harness.send("counter/a", #""increment""#) }
        try truncate(harness, keeping: 1)
        _ = try harness.send("counter/b", #""increment""#)
        try harness.settle()
        #expect(harness.takePublished() == ["s mark live 0", "s 12.0 counter/b@1 output 1"])
    }

    // MARK: Snapshots

    @Test func `a snapshot has instances whose last step was removed`() throws {
        let harness = try EngineHarness()
        for name in ["a", "b", "c"] { _ = try harness.send("counter/\(name)", #""increment""#) }
        _ = try harness.send("counter/z", #""increment""#)
        try truncate(harness, keeping: 1)
        // The snapshot is of step 8. Then all three step, before it is read.
        _ = try harness.subscribe("s", kinds: .output, snapshot: true)
        for name in ["a", "b", "c"] { _ = try harness.send("counter/\(name)", #""increment""#) }
        try harness.settle()
        #expect(
            harness.takePublished() == [
                #"s snapshot counter/a@1 {"count":1}"#, #"s snapshot counter/b@1 {"count":1}"#,
                #"s snapshot counter/c@1 {"count":1}"#, #"s snapshot counter/z@1 {"count":1}"#,
                "s mark snapshot 8", "s 9.0 counter/a@2 output 2", "s 10.0 counter/b@2 output 2",
                "s 11.0 counter/c@2 output 2", "s mark live 11",
            ])
    }

    @Test func `a snapshot that truncation overtakes begins again`() throws {
        let harness = try EngineHarness()
        for name in ["a", "b"] { _ = try harness.send("counter/\(name)", #""increment""#) }
        _ = try harness.subscribe("s", kinds: .output, snapshot: true, credit: 1)
        try harness.settle()
        #expect(harness.takePublished() == [#"s snapshot counter/a@1 {"count":1}"#])
        for _ in 1...5 { _ = try harness.send("counter/a", #""increment""#) }
        try truncate(harness, keeping: 1)
        _ = try harness.ask(.credit(SubscriptionName([0x73]), 10))
        try harness.settle()
        #expect(
            harness.takePublished() == [
                "s mark gap 4-9", #"s snapshot counter/a@6 {"count":6}"#,
                #"s snapshot counter/b@1 {"count":1}"#, "s mark snapshot 9", "s mark live 9",
            ])
    }

    @Test func `a snapshot begins again when a state of its moment was removed`() throws {
        let harness = try EngineHarness()
        for name in ["a", "b"] { _ = try harness.send("counter/\(name)", #""increment""#) }
        _ = try harness.send("counter/c", #""increment""#)
        // Of step 6; b's step 4 is removed after its step 7 was applied.
        _ = try harness.subscribe("s", kinds: .output, machine: "counter", snapshot: true)
        _ = try harness.send("counter/b", #""increment""#)
        try truncate(harness, keeping: 2)
        try harness.settle()
        #expect(
            harness.takePublished() == [
                #"s snapshot counter/a@1 {"count":1}"#, "s mark gap 6-7",
                #"s snapshot counter/a@1 {"count":1}"#, #"s snapshot counter/b@2 {"count":2}"#,
                #"s snapshot counter/c@1 {"count":1}"#, "s mark snapshot 7", "s mark live 7",
            ])
    }

    // MARK: Done instances

    private func retire(
        _ harness: EngineHarness, before time: Int64, flushing: Bool = true
    ) throws -> Int {
        var next: InstanceNumber? = InstanceNumber(0)
        var count = 0
        while let number = next {
            let turn = try harness.engine.expire(
                doneBefore: Timestamp(milliseconds: time), after: number, at: harness.now,
                store: harness.store)
            count += turn.count
            next = turn.next
            if flushing { harness.published += try harness.flush().publications }
        }
        return count
    }

    @Test func `deletes expired instances as by request`() throws {
        let harness = try EngineHarness()
        for number in 0..<100 {
            _ = try harness.send("counter/c\(number)", #""increment""#, dedup: "k")
        }
        for number in stride(from: 0, to: 100, by: 2) {
            harness.now = Timestamp(milliseconds: 2_000 + Int64(number))
            _ = try harness.ask(.stop(harness.instance("counter/c\(number)"), reason: "x"))
        }
        _ = try harness.subscribe("s", kinds: .lifecycle)
        try harness.settle()
        _ = harness.takePublished()
        harness.now = Timestamp(milliseconds: 9_000)
        #expect(try retire(harness, before: 2_000) == 0)
        #expect(try retire(harness, before: 2_050) == 25)
        #expect(harness.published.count == 25)
        guard case .record(let step, .lifecycle(.deleted), _) = harness.published[0].content
        else { throw Problem("\(harness.published[0])") }
        #expect(step.record.reason == "retention" && step.record.name?.text == "counter/c0")
        #expect(try harness.get("counter/c48").hasPrefix("noSuchInstance"))
        #expect(try harness.get("counter/c50").contains("done"))
        #expect(try harness.get("counter/c49") == #"v1 {"count":1}"#)
        #expect(try retire(harness, before: 2_050) == 0, "once")
        let reply = try harness.ask(.stats)
        guard case .statistics(let values) = reply else { throw Problem("\(reply)") }
        #expect(values.first { $0.name == "instances_retired" }?.value == 25)
        // The name can be used again.
        #expect(try harness.send("counter/c0", #""increment""#, dedup: "k") == "v1 changed")
    }

    @Test func `expiry sees the changes of the open batch`() throws {
        let harness = try EngineHarness()
        for name in ["a", "b"] {
            _ = try harness.send("counter/\(name)", #""increment""#)
            _ = try harness.ask(.stop(harness.instance("counter/\(name)"), reason: nil))
        }
        // One was deleted and created again in the batch; the other one deleted.
        try harness.receive(.delete(harness.instance("counter/a")))
        try harness.receive(harness.makeSend("counter/a", #""increment""#))
        try harness.receive(.delete(harness.instance("counter/b")))
        #expect(try retire(harness, before: 9_000, flushing: false) == 0)
        let replies = try harness.flush().replies.map(\.reply.summary)
        #expect(replies.count == 3)
        #expect(try harness.get("counter/a") == #"v1 {"count":1}"#)
    }

    @Test func `a full disk removes nothing`() throws {
        let store = FullStore(MemoryStore())
        var engine = Engine(catalogue: try Catalogue([]), store: store)
        store.isFull = true
        _ = try engine.expire(
            doneBefore: Timestamp(milliseconds: 1), after: InstanceNumber(0),
            at: Timestamp(milliseconds: 2),
            store: store)
        #expect(try engine.flush(to: store, at: Timestamp(milliseconds: 2)).isEmpty)
    }

    @Test func `instances that a full disk keeps aren't counted as deleted`() throws {
        let store = FullStore(MemoryStore())
        var engine = Engine(catalogue: try Catalogue(BuiltInMachines.definitions), store: store)
        let now = Timestamp(milliseconds: 1_000)
        let name = try #require(InstanceName("counter/a"))
        let operations: [GroveEngine.Operation] = [
            .create(Create(to: name, input: nil, dedup: nil)), .stop(name, reason: nil),
        ]
        for operation in operations {
            try engine.receive(
                Request(connection: ConnectionID(1), token: 1, operation: operation), at: now,
                store: store)
        }
        _ = try engine.flush(to: store, at: now)
        for isFull in [true, false] {
            store.isFull = isFull
            let turn = try engine.expire(
                doneBefore: Timestamp(milliseconds: 2_000), after: InstanceNumber(0),
                at: Timestamp(milliseconds: 9_000), store: store)
            #expect(turn.count == 1)
            _ = try engine.flush(to: store, at: now)
            let numbers = Dictionary(uniqueKeysWithValues: engine.numbers(store: store))
            #expect(numbers["instances_retired"] == (isFull ? 0 : 1))
            #expect(try store.isDeleted(InstanceNumber(1)) == !isFull)
        }
    }

    @Test func `an engine with an unreadable store removes nothing more`() throws {
        let store = UnreadableStore()
        let now = Timestamp(milliseconds: 2)
        for isCut in [true, false] {
            var engine = Engine(catalogue: try Catalogue([]), store: store)
            #expect(throws: StoreError.inputOutput("simulated")) {
                if isCut {
                    _ = try engine.truncate(to: JournalBounds(stepsMax: 1), at: now, store: store)
                } else {
                    _ = try engine.expire(
                        doneBefore: now, after: InstanceNumber(0), at: now, store: store)
                }
            }
            #expect(throws: StoreError.self) { try engine.flush(to: store, at: now) }
        }
    }
}

/// Fails every truncation and purge.
private final class UnreadableStore: ForwardingStore {
    init() { super.init(MemoryStore()) }

    override func truncate(
        to bounds: JournalBounds, at now: Timestamp
    ) throws(StoreError) -> Bool { throw .inputOutput("simulated") }

    override func finished(
        after number: InstanceNumber, before time: Timestamp, limit: Int
    ) throws(StoreError) -> FinishedPage { throw .inputOutput("simulated") }
}
