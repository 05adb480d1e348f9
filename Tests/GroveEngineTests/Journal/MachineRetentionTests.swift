import BuiltInMachines
import GroveEngine
import GroveTestSupport
import GroveWire
import Testing
import Transducers

/// Requests and subscriptions about machines whose steps are truncated earlier than others'.
@Suite("retention of one machine")
struct MachineRetentionTests {
    private static let more = [Definition(Counter.self, named: "meter", version: "1")]

    private func truncateMachines(
        _ harness: EngineHarness, _ bounds: [String: JournalBounds]
    ) throws {
        while try harness.engine.truncateMachines(to: bounds, at: harness.now, store: harness.store)
        {}
    }

    private func truncateMachines(_ harness: EngineHarness, counterTo steps: Int64) throws {
        try truncateMachines(harness, ["counter": JournalBounds(stepsMax: steps)])
    }

    private func history(_ harness: EngineHarness, _ name: String) throws -> String {
        let ask = History(to: try harness.instance(name), after: 0, limit: 100)
        return try harness.ask(.history(ask)).summary.replacing("increment", with: "i")
    }

    /// Counter: steps 1 to 4 and 7. Meter: 5 and 6.
    private func filled() throws -> EngineHarness {
        let harness = try EngineHarness(Self.more)
        for _ in 1...3 { _ = try harness.send("counter/a", #""increment""#) }
        _ = try harness.send("meter/t", #""increment""#)
        _ = try harness.send("counter/a", #""increment""#)
        return harness
    }

    // MARK: Reads

    @Test func `only the machine's steps are removed, and only its reads show it`() throws {
        let harness = try filled()
        try truncateMachines(harness, counterTo: 1)
        #expect(harness.store.floors == JournalFloors(journal: 1, machines: ["counter": 5]))
        #expect(harness.store.first == 5, "the places before hold nothing any more")
        #expect(try history(harness, "counter/a") == #"4:"i" first=4"#)
        #expect(
            try harness.get("counter/a", at: 3)
                == "versionNotHeld(asked: 3, first: 4, actual: 4)")
        #expect(try harness.get("counter/a") == #"v4 {"count":4}"#)
        #expect(try history(harness, "meter/t") == #"1:"i""#)
        #expect(try harness.get("meter/t", at: 0).hasPrefix("v0 "))
    }

    @Test func `a repeated create is answered without removed data`() throws {
        let harness = try EngineHarness(Self.more)
        for name in ["counter/a", "meter/t"] {
            let create = Create(
                to: try harness.instance(name), input: nil, dedup: Array("k".utf8))
            _ = try harness.ask(.create(create))
        }
        harness.now = Timestamp(milliseconds: 5_000)
        try truncateMachines(harness, ["counter": JournalBounds(ageMillisecondsMax: 1_000)])
        for (name, said) in [("counter/a", "created - [] dup"), ("meter/t", "dup")] {
            let create = Create(
                to: try harness.instance(name), input: nil, dedup: Array("k".utf8))
            let summary = try harness.ask(.create(create)).summary
            #expect(summary.hasSuffix(said) && summary.contains("-") == (name == "counter/a"))
        }
    }

    @Test func `only the truncated machine's next steps carry the state before`()
        throws
    {
        let harness = try filled()
        harness.now = Timestamp(milliseconds: 9_000)
        try truncateMachines(harness, ["counter": JournalBounds(ageMillisecondsMax: 1_000)])
        #expect(harness.store.floors.first(of: "counter") == 8, "nothing of it is left")
        _ = try harness.send("counter/a", #"{"type":"add","amount":0}"#)
        _ = try harness.send("meter/t", #""increment""#)
        let step = try #require(try harness.store.record(at: 8))
        #expect(step.base?.state.text == #"{"count":4}"# && step.stateAt == 8)
        #expect(step.base?.at == Timestamp(milliseconds: 1_000))
        #expect(try harness.store.record(at: 9)?.base == nil)
        #expect(try harness.get("counter/a", at: 4) == #"v4 {"count":4}"#)
        #expect(try history(harness, "counter/a") == #"5:{"type":"add","amount":0} first=5"#)
    }

    @Test func `describe reads the remaining steps`() throws {
        let harness = try filled()
        try truncateMachines(harness, counterTo: 1)
        for name in ["counter", "meter"] {
            guard
                case .described = try harness.ask(.describe(Describe(.machine(name), format: .dot)))
            else { throw Problem(name) }
        }
    }

    // MARK: Subscriptions

    @Test func `a subscription begins where all its machines are complete`() throws {
        let harness = try filled()
        try truncateMachines(harness, counterTo: 1)
        let first = Subscribe.Start.first
        #expect(
            try harness.subscribe("c", machine: "counter", from: first) == "subscribed 4 first 4")
        #expect(
            try harness.subscribe("t", kinds: .output, machine: "meter", from: first)
                == "subscribed 0 first 0")
        #expect(try harness.subscribe("a", from: first) == "subscribed 4 first 4")
        #expect(try harness.subscribe("g", machine: "m*", from: first) == "subscribed 0 first 0")
    }

    @Test func `a cursor is too old only for machines of its selection`() throws {
        let harness = try filled()
        try truncateMachines(harness, counterTo: 1)
        let early = Subscribe.Start.after(Cursor(sequence: 3))
        for machine in ["counter", "c*", "*", nil] {
            let refused = try harness.subscribe("s", machine: machine, from: early)
            #expect(refused.hasPrefix("cursorTooOld(first: GroveEngine.Cursor(sequence: 4"))
        }
        #expect(
            try harness.subscribe("s", kinds: .output, machine: "meter", from: early)
                == "subscribed 3 first 0")
        try harness.settle()
        let told = harness.takePublished()
        #expect(told.count == 2 && told[0].hasPrefix("s 6.") && told[1] == "s mark live 7")
    }

    @Test(arguments: [Subscribe.SlowPolicy.pause, .conflate])
    func `a waiting subscription gets the gap if it selects the machine`(
        slow: Subscribe.SlowPolicy
    ) throws {
        let harness = try EngineHarness(Self.more)
        for (name, machine) in [("c", "counter"), ("t", "meter"), ("a", "*")] {
            _ = try harness.subscribe(
                name, kinds: .state, machine: machine, credit: 0, slow: slow)
        }
        try harness.settle()
        _ = harness.takePublished()
        for _ in 1...4 { _ = try harness.send("counter/a", #""increment""#) }
        _ = try harness.send("meter/t", #""increment""#)
        _ = try harness.send("counter/a", #""increment""#)
        try truncateMachines(harness, counterTo: 1)
        for name in ["c", "t", "a"] {
            _ = try harness.ask(.credit(SubscriptionName(Array(name.utf8)), 10))
            try harness.settle()
        }
        let told = harness.takePublished()
        #expect(told.filter { $0.contains("mark gap") } == ["c mark gap 1-5", "a mark gap 1-5"])
        let last = #"8.1 counter/a@5 state null>{"count":5}"#
        #expect(told.filter { $0.contains("counter") } == ["c \(last)", "a \(last)"])
        let others = told.filter { $0.hasPrefix("t ") }.compactMap { $0.split(separator: " ")[1] }
        #expect(others == (slow == .pause ? ["6.1", "7.1"] : ["7.1"]))
    }

    @Test func `a snapshot begins again only where its machine was overtaken`() throws {
        let harness = try EngineHarness(Self.more)
        for name in ["counter/a", "counter/b"] { _ = try harness.send(name, #""increment""#) }
        for name in ["meter/a", "meter/b"] { _ = try harness.send(name, #""increment""#) }
        for (name, machine) in [("c", "counter"), ("t", "meter")] {
            _ = try harness.subscribe(
                name, kinds: .output, machine: machine, snapshot: true, credit: 1)
        }
        try harness.settle()
        for _ in 1...5 { _ = try harness.send("counter/a", #""increment""#) }
        try truncateMachines(harness, counterTo: 1)
        _ = harness.takePublished()
        for name in ["c", "t"] {
            _ = try harness.ask(.credit(SubscriptionName(Array(name.utf8)), 10))
        }
        try harness.settle()
        let told = harness.takePublished()
        let counters = told.filter { $0.hasPrefix("c ") }
        #expect(
            counters == [
                "c mark gap 8-13", #"c snapshot counter/a@6 {"count":6}"#,
                #"c snapshot counter/b@1 {"count":1}"#, "c mark snapshot 13", "c mark live 13",
            ])
        let others = told.filter { $0.hasPrefix("t ") }
        #expect(others.first?.hasPrefix("t snapshot meter/b") == true)
        #expect(others.dropFirst() == ["t mark snapshot 8", "t mark live 13"])
    }

    // MARK: Faults

    @Test func `a failing store ends the truncation, a full one doesn't`() throws {
        let now = Timestamp(milliseconds: 1)
        for error in [StoreError.full, .corrupt("simulated"), .inputOutput("simulated")] {
            let store = UntrimmableStore(error)
            var engine = Engine(catalogue: try Catalogue([]), store: store)
            #expect(throws: error) {
                try engine.truncateMachines(
                    to: ["a": JournalBounds(stepsMax: 1)], at: now, store: store)
            }
            if case .inputOutput = error {
                #expect(throws: error) { try engine.flush(to: store, at: now) }
            } else {
                #expect(try engine.flush(to: store, at: now).isEmpty)
            }
        }
    }

    // MARK: Against a model

    @Test(arguments: 1...12 as ClosedRange<UInt64>)
    func `records are true and complete, whatever is removed`(seed: UInt64) throws {
        print("seed \(seed): swift test --disable-xctest --filter 'told is true and whole'")
        var random = SeededRandom(seed: seed)
        let harness = try EngineHarness(Self.more)
        var versions: [String: Int64] = [:]
        var follower = Follower()
        for machine in ["counter", "meter", "*"] {
            _ = try harness.subscribe(machine, kinds: .output, machine: machine, credit: 0)
        }
        try harness.settle()
        _ = harness.takePublished()
        for _ in 0..<300 {
            harness.now.milliseconds += Int64.random(in: 0...100, using: &random)
            switch Int.random(in: 0..<12, using: &random) {
            case 0:
                try truncateMachines(harness, counterTo: Int64.random(in: 0...20, using: &random))
            case 1:
                try truncateMachines(
                    harness,
                    [
                        "meter": JournalBounds(ageMillisecondsMax: 2_000),
                        "counter": JournalBounds(bytesMax: 1_000),
                    ])
            case 2:
                let bounds = JournalBounds(stepsMax: Int64.random(in: 1...60, using: &random))
                _ = try harness.engine.truncate(to: bounds, at: harness.now, store: harness.store)
            case 3, 4:
                let name = ["counter", "*"].randomElement(using: &random) ?? "*"
                _ = try harness.ask(.credit(SubscriptionName(Array(name.utf8)), 3))
                try harness.settle()
            case 5:
                let name = "counter/\(Int.random(in: 0..<3, using: &random))"
                if versions.removeValue(forKey: name) != nil {
                    _ = try harness.ask(.delete(harness.instance(name)))
                    while try harness.store.purge() {}
                }
            case 6: _ = try harness.send("meter/t", #""increment""#)
            default:
                let name = "counter/\(Int.random(in: 0..<3, using: &random))"
                _ = try harness.send(name, #""increment""#)
                versions[name, default: 0] += 1
            }
            try follower.take(harness.takePublished(), harness.store.floors)
            for (name, version) in versions { try check(harness, name, version) }
        }
    }

    /// History is a gapless end of all versions, and `get` returns the right one.
    private func check(_ harness: EngineHarness, _ name: String, _ version: Int64) throws {
        #expect(try harness.get(name) == #"v\#(version) {"count":\#(version)}"#)
        let instance = try harness.instance(name)
        let reply = try harness.ask(.history(History(to: instance, after: 0, limit: 1_000)))
        guard case .history(let steps, nil, let first) = reply else { throw Problem("\(reply)") }
        let begin = first ?? 1
        #expect(steps.map(\.version) == Array(begin..<(version + 1)), "\(name) from \(begin)")
        var known = false
        for asked in 0..<version {
            let told = try harness.get(name, at: asked)
            if told == #"v\#(asked) {"count":\#(asked)}"# {
                known = true
            } else {
                #expect(!known && told.hasPrefix("versionNotHeld(asked: \(asked), first: "))
            }
        }
    }
}

/// Checks that subscriptions get every record, or a gap.
private struct Follower {
    private var places: [String: JournalPosition] = [:]

    /// Checks records and marks: cursors only grow, and a gap ends at a floor.
    mutating func take(_ lines: [String], _ floors: JournalFloors) throws {
        for line in lines {
            let words = line.split(separator: " ")
            let name = String(words[0])
            let before = places[name] ?? 0
            if words[1] == "mark", words[2] == "gap" {
                let ends = words[3].split(separator: "-").compactMap { Int64($0) }
                var selection = Selection()
                selection.machine = Glob(name)
                #expect(ends[0] >= before && ends[1] <= floors.first(for: selection) - 1)
                places[name] = ends[1]
            } else if words[1] != "mark" {
                let place = try #require(Int64(words[1].prefix { $0 != "." }))
                #expect(place > before, "\(line) after \(before)")
                places[name] = place
            }
        }
    }
}

/// Fails every truncation of a machine.
private final class UntrimmableStore: ForwardingStore {
    private let error: StoreError

    init(_ error: StoreError) {
        self.error = error
        super.init(MemoryStore())
    }

    override func truncateMachines(
        to bounds: [String: JournalBounds], at now: Timestamp
    ) throws(StoreError) -> Bool { throw error }
}
