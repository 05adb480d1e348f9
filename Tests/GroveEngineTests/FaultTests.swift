import BuiltInMachines
import GroveEngine
import GroveTestSupport
import Testing
import Transducers

@Suite("faults of the store")
final class FaultTests {
    let store = FaultyStore()
    let harness: EngineHarness
    var engine: Engine

    init() throws {
        harness = try EngineHarness(testDefinitions)
        engine = Engine(
            catalogue: try Catalogue(testDefinitions + BuiltInMachines.definitions), store: store)
    }

    private func take(_ operation: Operation) throws {
        try engine.receive(
            Request(connection: ConnectionID(1), token: 0, operation: operation),
            at: harness.now, store: store)
    }

    private func flush() throws -> [String] {
        try engine.flush(to: store, at: harness.now).replies.map(\.reply.summary)
    }

    @Test func `a full disk refuses only requests that needed the commit`() throws {
        try take(harness.makeSend("counter/a", #""increment""#))
        try take(harness.makeSend("counter/b", #""increment""#))
        #expect(try flush() == ["v1 changed", "v1 changed"])
        store.commitError = .full
        try take(.get(Get(to: harness.instance("counter/b"), at: nil)))
        try take(harness.makeSend("counter/a", #""increment""#))
        try take(.get(Get(to: harness.instance("counter/a"), at: nil)))
        try take(harness.makeSend("counter/a", #""increment""#, expect: .version(9)))
        try take(harness.makeSend("counter/new", #""increment""#))
        try take(.get(Get(to: harness.instance("counter/new"), at: nil)))
        try take(.history(History(to: harness.instance("counter/a"))))
        try take(.list(List()))
        try take(harness.makeSend("nothing/a", #""increment""#))
        let replies = try flush()
        #expect(
            replies == [
                #"v1 {"count":1}"#, "storageFull", #"v1 {"count":1}"#, "storageFull",
                "storageFull", #"noSuchInstance(counter/new)"#, #"1:"increment""#,
                "counter/a@1 counter/b@1", "noSuchMachine(\"nothing\")",
            ])
    }

    @Test func `a full disk answers repeats of committed keys`()
        throws
    {
        let create = Operation.create(
            Create(to: try harness.instance("counter/c"), input: nil, dedup: [1]))
        try take(harness.makeSend("counter/a", #""increment""#, dedup: "k"))
        try take(create)
        _ = try flush()
        store.commitError = .full
        try take(harness.makeSend("counter/a", #""increment""#))
        try take(harness.makeSend("counter/a", #""increment""#, dedup: "k"))
        try take(harness.makeSend("counter/c", #""increment""#))
        try take(create)
        #expect(
            try flush() == [
                "storageFull", "v1 changed dup", "storageFull", #"created {"count":0} [] dup"#,
            ])
        // A key that isn't committed itself reveals nothing.
        try take(harness.makeSend("counter/a", #""increment""#, dedup: "new"))
        try take(harness.makeSend("counter/a", #""increment""#, dedup: "new"))
        try take(harness.makeSend("counter/a", #""reset""#, dedup: "new"))
        #expect(try flush() == ["storageFull", "storageFull", "storageFull"])
    }

    @Test func `no answer shows the changes of a lost batch`() throws {
        let name = try harness.instance("counter/a")
        try take(harness.makeSend("counter/a", #""increment""#))
        _ = try flush()
        store.commitError = .full
        let send = try harness.makeSend("counter/a", #""increment""#)
        guard case .send(let event) = send else { throw Problem("no send") }
        let later: [Operation] = [
            .cancel(name, .effect(1)), .effects(EffectsQuery(to: name)),
            .retry(name, effect: 1, event: nil), .stop(name, reason: nil), .delete(name),
            .get(Get(to: name, at: nil)),
            .can(Can(to: name, event: event.event, eventText: event.eventText)),
            .await(Await(to: name, until: .done, timeout: 1_000)),
            .suspend(.instance(name), reason: nil), .resume(.instance(name)),
            .history(History(to: name)), .create(Create(to: name, input: nil, dedup: nil)),
            send,
        ]
        for operation in later {
            try take(.delete(name))
            try take(operation)
            let replies = try flush()
            #expect(replies.first == "storageFull")
            #expect(!replies.contains { $0.contains("noSuchInstance") }, "\(operation)")
        }
        // The same for a suspension, and for a step that isn't stored.
        try take(.suspend(.instance(name), reason: nil))
        try take(harness.makeSend("counter/a", #""increment""#))
        try take(.suspend(.instance(name), reason: nil))
        try take(.create(Create(to: name, input: nil, dedup: nil)))
        #expect(
            try flush() == ["storageFull", "storageFull", "storageFull", "storageFull"])
        try take(harness.makeSend("counter/a", #""increment""#))
        try take(harness.makeSend("counter/a", #""increment""#, expect: .version(1)))
        #expect(try flush() == ["storageFull", "storageFull"])
    }

    @Test func `definitions are answered again, without a lost suspension`() throws {
        store.commitError = .full
        try take(.suspend(.machine("counter"), reason: nil))
        try take(.definitions())
        let replies = try engine.flush(to: store, at: harness.now).replies.map(\.reply)
        guard case .definitions(let items)? = replies.last else { throw Problem("\(replies)") }
        #expect(replies.count == 2 && items.allSatisfy { $0.definition.held == nil })
    }

    @Test func `the engine finds room again without a request, and probes only then`()
        throws
    {
        try engine.probeDiskSpace(store: store)
        #expect(!engine.isDiskFull && store.looks == 0)
        store.commitError = .full
        try take(harness.makeSend("counter/a", #""increment""#))
        #expect(try flush() == ["storageFull"])
        try engine.probeDiskSpace(store: store)
        #expect(engine.isDiskFull && store.looks == 1)
        store.commitError = nil
        try engine.probeDiskSpace(store: store)
        #expect(!engine.isDiskFull && store.looks == 2)
        try engine.probeDiskSpace(store: store)
        #expect(store.looks == 2)
    }

    @Test func `a disk that fails during a probe for room ends the engine`() throws {
        store.commitError = .full
        try take(harness.makeSend("counter/a", #""increment""#))
        _ = try flush()
        let broken = StoreError.inputOutput("broken")
        store.commitError = broken
        #expect(throws: broken) { try self.engine.probeDiskSpace(store: self.store) }
        store.commitError = nil
        #expect(throws: broken) { try self.take(.definitions()) }
        #expect(throws: broken) { try self.engine.probeDiskSpace(store: self.store) }
    }

    @Test func `after a full disk everything continues as before`() throws {
        try take(harness.makeSend("counter/a", #""increment""#, dedup: "1"))
        _ = try flush()
        store.commitError = .full
        try take(harness.makeSend("counter/a", #""increment""#, dedup: "2"))
        try take(.delete(harness.instance("counter/a")))
        try take(harness.makeSend("counter/c", #""increment""#))
        _ = try flush()
        store.commitError = nil
        try take(.get(Get(to: harness.instance("counter/a"), at: nil)))
        try take(harness.makeSend("counter/a", #""increment""#, dedup: "2"))
        try take(harness.makeSend("counter/c", #""increment""#, expect: .absent))
        #expect(try flush() == [#"v1 {"count":1}"#, "v2 changed", "v1 changed"])
        #expect(store.head == 5)
        #expect(store.lastInstanceNumber == InstanceNumber(2))
    }

    @Test func `a subscription that starts in a failed batch misses nothing`() throws {
        store.commitError = .full
        try take(harness.makeSend("counter/a", #""increment""#))
        var selection = Selection()
        selection.kinds = .output
        let name = SubscriptionName([1])
        try take(.subscribe(Subscribe(name: name, selection: selection)))
        #expect(try flush() == ["storageFull", "subscribed 0 first 0"])
        store.commitError = nil
        try take(harness.makeSend("counter/a", #""increment""#))
        _ = try flush()
        let records = try engine.work(at: harness.now, store: store).publications
        #expect(records.count == 2, "one output and the live mark")
    }

    @Test func `an I/O error ends everything`() throws {
        store.commitError = .inputOutput("gone")
        try take(harness.makeSend("counter/a", #""increment""#))
        #expect(throws: StoreError.inputOutput("gone")) { try flush() }
        #expect(throws: StoreError.inputOutput("gone")) {
            try take(harness.makeSend("counter/b", #""increment""#))
        }
        #expect(throws: StoreError.inputOutput("gone")) { try flush() }
    }

    @Test func `a corrupt row is that instance's failure alone`() throws {
        store.readError = .corrupt("row 7")
        try take(harness.makeSend("counter/a", #""increment""#))
        store.readError = nil
        try take(harness.makeSend("counter/b", #""increment""#))
        #expect(try flush() == ["storageCorrupt(\"row 7\")", "v1 changed"])
    }

    @Test func `an unreadable file isn't the failure of one instance`() throws {
        store.readError = .inputOutput("gone")
        #expect(throws: StoreError.inputOutput("gone")) {
            try take(harness.makeSend("counter/a", #""increment""#))
        }
    }

    @Test func `more requests than a batch may hold are refused as overload`() throws {
        var options = EngineOptions()
        options.queueRequestsMax = 2
        engine = Engine(
            catalogue: try Catalogue(testDefinitions + BuiltInMachines.definitions), store: store,
            options: options)
        for _ in 1...3 { try take(harness.makeSend("counter/a", #""increment""#)) }
        #expect(try flush() == ["v1 changed", "v2 changed", "overloaded"])
        try take(harness.makeSend("counter/a", #""increment""#))
        #expect(try flush() == ["v3 changed"])
    }

    @Test func `idle instances leave memory and are loaded unchanged`() throws {
        var options = EngineOptions()
        options.residentInstancesMax = 10
        engine = Engine(
            catalogue: try Catalogue(testDefinitions + BuiltInMachines.definitions), store: store,
            options: options)
        for round in 1...3 {
            for index in 0..<100 {
                try take(harness.makeSend("counter/\(index)", #""increment""#))
                #expect(try flush() == ["v\(round) changed"])
            }
        }
        try take(.stats)
        guard
            case .statistics(let values) = try engine.flush(to: store, at: harness.now)
                .replies[0].reply
        else { throw Problem("no statistics") }
        #expect(values.first { $0.name == "instances_resident" }.map { $0.value <= 10 } == true)
    }

    @Test func `changed bounds hold from the next commit on`() throws {
        for index in 0..<20 { try take(harness.makeSend("counter/\(index)", #""increment""#)) }
        _ = try flush()
        var options = EngineOptions()
        options.residentInstancesMax = 3
        options.queueRequestsMax = 1
        engine.reconfigure(options)
        for _ in 1...2 { try take(harness.makeSend("counter/0", #""increment""#)) }
        #expect(try flush() == ["v2 changed", "overloaded"])
        try take(.stats)
        guard
            case .statistics(let values) = try engine.flush(to: store, at: harness.now)
                .replies[0].reply
        else { throw Problem("no statistics") }
        #expect(values.first { $0.name == "instances_resident" }.map { $0.value <= 3 } == true)
    }
}
