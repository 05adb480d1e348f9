import BuiltInMachines
import GroveTestSupport
import OrderedJSON
import Testing
import Transducers

@testable import GroveEngine

/// A new version of a machine, over data that its first version has stored.
@Suite("upgrades")
struct UpgradeTests {
    /// The first version: a pot of tea with a reminder.
    private enum OldPot: EffectTransducer, InitialState {
        struct State: NonTerminal, Codable, Sendable { var cups = 0 }
        enum Event: Codable, Sendable { case pour, cool, remind(String) }
        typealias Output = Int
        static let internalEvents = ["cool"]
        static let initialState = State()
        static func update(_ state: inout State, event: Event) -> (Self.Effect?, Int) {
            switch event {
            case .pour:
                state.cups += 1
                return (.after(.seconds(60), id: "cool", .cool), state.cups)
            case .remind: return (.after(.seconds(60), id: "bell", .remind("drink")), state.cups)
            case .cool: return (nil, state.cups)
            }
        }
    }

    /// The second: another member, and events under other names.
    private enum NewPot: EffectTransducer, InitialState {
        struct State: NonTerminal, Codable, Sendable {
            var cups = 0
            var sugar = 2
        }
        enum Event: Codable, Sendable { case pour, cold, rang(times: Int) }
        typealias Output = Int
        static let internalEvents = ["cold"]
        static let initialState = State()
        static func update(_ state: inout State, event: Event) -> (Self.Effect?, Int) {
            if case .pour = event { state.cups += 1 }
            return (nil, state.sugar)
        }
    }

    /// A version that can't read the first one's states.
    private enum OtherPot: Transducer, InitialState {
        struct State: NonTerminal, Codable, Sendable { var glasses = 0 }
        enum Event: Codable, Sendable { case pour }
        static let initialState = State()
        static func update(_ state: inout State, event: Event) -> Int { 0 }
    }

    /// One with states of any size.
    private enum OldSack: Transducer, InitialState {
        struct State: NonTerminal, Codable, Sendable { var load = "" }
        enum Event: Codable, Sendable { case fill(String) }
        static let initialState = State()
        static func update(_ state: inout State, event: Event) -> Int {
            if case .fill(let load) = event { state.load = load }
            return 0
        }
    }

    private let name = InstanceName("pot/a")

    private func bench(
        of definition: Definition, over store: any Store = MemoryStore()
    ) throws -> EffectBench {
        try EffectBench([definition], store: store)
    }

    private var old: Definition { Definition(OldPot.self, named: "pot", version: "1.9") }
    private var new: Definition { Definition(NewPot.self, named: "pot", version: "1.10") }

    @Test func `an instance with a new member is outdated until its next step`() throws {
        let before = try bench(of: old)
        try before.send("pour", to: "pot/a")
        try before.send("pour", to: "pot/b")
        let bench = try bench(of: new, over: before.store)
        #expect(try outdated(bench) == ["pot/a 1.9", "pot/b 1.9"])
        #expect(try bench.text(of: "pot/a") == #"{"cups":1}"#, "as it was stored")
        guard case .can(let can) = try bench.ask(.can(Can(bench, "pour", "pot/a"))) else {
            throw Problem("no answer")
        }
        #expect(can.state?.text == #"{"cups":2,"sugar":2}"#)
        try bench.send("pour", to: "pot/a")
        #expect(try bench.text(of: "pot/a") == #"{"cups":2,"sugar":2}"#)
        #expect(try outdated(bench) == ["pot/b 1.9"])
        #expect(try outdated(bench, false) == ["pot/a 1.10"])
    }

    private func outdated(_ bench: EffectBench, _ isOutdated: Bool = true) throws -> [String] {
        var list = List()
        list.isOutdated = isOutdated
        let token = try bench.begin(.list(list))
        try bench.work()
        guard case .listed(let items, _)? = bench.answers[token] else { throw Problem("no page") }
        return items.map { "\($0.name) \($0.definitionVersion ?? "")" }
    }

    @Test func `a timer with a removed event gets another one by hand`() throws {
        let before = try bench(of: old)
        try before.send("pour", to: "pot/a")
        let name = try #require(name)
        let bench = try bench(of: new, over: before.store)
        bench.now = before.now
        try bench.advance(by: 60_000)
        #expect(try bench.rows(of: "pot/a") == ["failed cool"])
        // Nor by what can't be read, nor by another phase.
        guard
            case .failure(.badRequest(let path, let message)) = try bench.ask(
                .retry(name, effect: 1, event: "cool"))
        else { throw Problem("no refusal") }
        #expect(path == "$.event" && message == "there is no case \"cool\"")
        _ = bench.takeOutputs(of: "pot/a")
        try bench.ask(.retry(name, effect: 1, event: "cold"))
        try bench.advance(by: 0)
        #expect(bench.takeOutputs(of: "pot/a") == ["2"])
        #expect(try bench.rows(of: "pot/a") == [])
    }

    @Test func `a sleeping timer keeps its time, and internal events are refused`()
        throws
    {
        let before = try bench(of: old)
        try before.send(["type": "remind", "value": "x"], to: "pot/a")
        let name = try #require(name)
        guard
            case .failure(.internalEvent("cool")) = try before.ask(
                .retry(name, effect: 1, event: "cool"))
        else { throw Problem("an internal event took the place of one that can be read") }
        let bench = try bench(of: new, over: before.store)
        bench.now = before.now
        try bench.ask(.retry(name, effect: 1, event: ["type": "rang", "times": 3]))
        try bench.advance(by: 59_999)
        #expect(try bench.rows(of: "pot/a") == ["sleeping bell"])
        try bench.advance(by: 1)
        #expect(try bench.rows(of: "pot/a") == [])
        #expect(bench.takeOutputs(of: "pot/a") == ["2"])
    }

    @Test func `an effect without an event accepts none`() throws {
        let bench = try EffectBench()
        try bench.plan(.perform("work", id: nil, then: "got", tries: 1, policy: "replace"))
        try bench.report(.failed(reason: "broken", isPermanent: true))
        let lab = try #require(InstanceName("lab/a"))
        guard
            case .failure(.noSuchEffect(let message)) = try bench.ask(
                .retry(lab, effect: 1, event: "x"))
        else { throw Problem("it took one") }
        #expect(message == "effect 1 of lab/a holds no event")
    }

    // MARK: Looking before anybody asks

    private func findings(
        _ definition: Definition, _ store: any Store
    ) throws -> (found: [StateInspection.Finding], turns: Int) {
        var inspection = StateInspection(try Catalogue([definition]))
        var found: [StateInspection.Finding] = []
        for turn in 1...1_000 {
            let outcome = try inspection.turn(store: store)
            if let finding = outcome.finding { found.append(finding) }
            if !outcome.hasMore { return (found, turn) }
        }
        throw Problem("it never ends")
    }

    @Test func `a start finds unreadable states, and reads a bounded number`() throws {
        let before = try bench(of: old)
        for number in 0..<300 { try before.send("pour", to: "pot/\(number)") }
        #expect(try findings(new, before.store).found == [])
        let other = Definition(OtherPot.self, named: "pot", version: "2")
        let (found, turns) = try findings(other, before.store)
        let finding = try #require(found.first)
        #expect(found.count == 1 && turns == Limits.inspectedInstancesMax / 16)
        #expect(finding.looked == 256 && finding.unreadable == 256)
        #expect(finding.instance.text == "pot/0" && finding.version == "1.9")
        #expect(finding.reason.contains("\"cups\""))
    }

    @Test func `a start reads about a mebibyte of states per machine, in turns`() throws {
        let before = try bench(of: Definition(OldSack.self, named: "sack", version: "1"))
        let load: JSONValue = .string(String(repeating: "x", count: 300_000))
        for number in 0..<10 {
            try before.send(["type": "fill", "value": load], to: "sack/\(number)")
        }
        let changed = Definition(OtherPot.self, named: "sack", version: "2")
        let (found, turns) = try findings(changed, before.store)
        #expect(found.map(\.looked) == [4] && turns == 4)
    }

    @Test func `a rehearsal reads every state and every event that effects hold`() throws {
        let before = try bench(of: old)
        try before.send("pour", to: "pot/a")
        let name = try #require(name)
        let stored = try #require(try before.store.instance(named: name))
        let row = try #require(try before.store.effects(after: nil, limit: 1).first)
        let replay = Replay(catalogue: try Catalogue([new]))
        #expect(replay.check(stored) == nil)
        #expect(
            replay.check(row, of: stored)?.what
                == "the event that effect 1 holds can't be read: there is no case \"cool\"")
        let other = Replay(
            catalogue: try Catalogue([Definition(OtherPot.self, named: "pot", version: "2")]))
        #expect(other.check(stored)?.what.hasPrefix("the state can't be read: ") == true)
    }

    @Test func `a replay doesn't count a new member as a difference`() throws {
        let before = try bench(of: old)
        for _ in 0..<3 { try before.send("pour", to: "pot/a") }
        var replay = Replay(
            catalogue: try Catalogue([Definition(SamePot.self, named: "pot", version: "2")]))
        for record in try before.store.records(after: 0, limit: .max, bytes: .max) {
            #expect(replay.replay(record) == nil)
        }
        #expect(replay.steps == 3)
    }

    /// Does what the first version does, and has one more member.
    private enum SamePot: Transducer, InitialState {
        struct State: NonTerminal, Codable, Sendable {
            var cups = 0
            var sugar = 2
        }
        enum Event: Codable, Sendable { case pour, cool }
        static let initialState = State()
        static func update(_ state: inout State, event: Event) -> Int {
            if case .pour = event { state.cups += 1 }
            return state.cups
        }
    }
}

extension Can {
    /// Whether an instance of the bench accepts an event.
    fileprivate init(_ bench: EffectBench, _ event: JSONValue, _ instance: String) throws {
        let send = try bench.makeSend(encoding: event, to: instance)
        self.init(to: send.to, event: send.event, eventText: send.eventText)
    }
}
