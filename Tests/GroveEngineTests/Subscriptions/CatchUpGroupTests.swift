import GroveTestSupport
import Testing

@testable import GroveEngine

/// Subscriptions that read the journal after the same position do so together.
@Suite("Catching up together")
struct CatchUpGroupTests {
    private static func connection(_ number: Int) -> ConnectionID {
        ConnectionID(UInt64(100 + number))
    }

    /// The lines of each connection, without marks.
    private func records(_ publications: [Publication]) -> [ConnectionID: [String]] {
        var records: [ConnectionID: [String]] = [:]
        for publication in publications {
            guard case .record = publication.content else { continue }
            for recipient in publication.recipients {
                var one = publication
                one.recipients = [recipient]
                records[recipient.connection, default: []].append(one.summary)
            }
        }
        return records
    }

    @Test func `a record is written once for all that read it together`() throws {
        let harness = try EngineHarness()
        for _ in 1...300 { _ = try harness.send("counter/a", #""increment""#) }
        for number in 0..<100 {
            _ = try harness.subscribe(
                "s", kinds: .output, from: .first, connection: Self.connection(number))
        }
        harness.published = []
        var turns = 0
        while harness.engine.hasBackgroundWork {
            let ready = try harness.engine.work(at: harness.now, store: harness.store)
            let sent = ready.publications.reduce(0) { $0 + $1.recipients.count }
            // The marks of a group come on top.
            #expect(sent <= Limits.catchUpDeliveriesPerTurn + 2 * Limits.catchUpGroupMax)
            harness.published += ready.publications
            turns += 1
        }
        #expect(turns > 100 * 300 / Limits.catchUpDeliveriesPerTurn)
        let written = harness.published.count {
            if case .record = $0.content { true } else { false }
        }
        #expect(written <= 300 * (100 / Limits.catchUpGroupMax + 2), "and not 30,000")
        let expected = (1...300).map { "s \($0 + 1).0 counter/a@\($0) output \($0)" }
        let records = records(harness.published)
        #expect(records.count == 100)
        #expect(records.values.allSatisfy { $0 == expected })
    }

    /// What one subscription is to get, and may still get.
    private struct Wish {
        var kinds: Selection.Kinds
        var instance: String?
        var hasCredit: Bool
    }

    /// Beside others, each gets what it gets alone.
    @Test(arguments: 1...20)
    func `selections and credit differ within a group`(seed: Int) throws {
        var random = SeededRandom(seed: UInt64(seed))
        let kinds: [Selection.Kinds] = [.output, .state, .lifecycle, .trace, .standard]
        let wishes = (0..<40).map { _ in
            Wish(
                kinds: kinds.randomElement(using: &random) ?? .standard,
                instance: [nil, "a", "b*"].randomElement(using: &random) ?? nil,
                hasCredit: Int.random(in: 0..<3, using: &random) == 0)
        }
        let harness = try EngineHarness()
        let names = ["counter/a", "counter/b", "counter/bb"]
        var sent: [String] = []
        func send() throws {
            let name = names.randomElement(using: &random) ?? "counter/a"
            sent.append(name)
            _ = try harness.send(name, #""increment""#)
        }
        for _ in 0..<100 { try send() }
        for (number, wish) in wishes.enumerated() {
            _ = try harness.subscribe(
                "s", kinds: wish.kinds, instance: wish.instance, from: .first,
                credit: wish.hasCredit ? Int64.random(in: 0..<50, using: &random) : nil,
                connection: Self.connection(number))
        }
        for _ in 0..<300 {
            if Bool.random(using: &random) { try send() }
            let number = Int.random(in: 0..<wishes.count, using: &random)
            if wishes[number].hasCredit {
                try grant(Int64.random(in: 1..<20, using: &random), number, harness)
            }
            harness.published += try harness.engine.work(at: harness.now, store: harness.store)
                .publications
        }
        for number in wishes.indices where wishes[number].hasCredit {
            try grant(10_000, number, harness)
        }
        try harness.settle()
        let records = records(harness.published)
        var alone: [String: [String]] = [:]
        for (number, wish) in wishes.enumerated() {
            // Several wish for the same.
            let key = "\(wish.kinds.rawValue) \(wish.instance ?? "")"
            let expected = try alone[key] ?? self.alone(wish, sent)
            alone[key] = expected
            #expect(records[Self.connection(number)] ?? [] == expected, "\(number) \(wish)")
        }
    }

    /// The records that one gets who is alone, and has asked before the first event.
    private func alone(_ wish: Wish, _ sent: [String]) throws -> [String] {
        let harness = try EngineHarness()
        _ = try harness.subscribe("s", kinds: wish.kinds, instance: wish.instance, from: .first)
        for name in sent { _ = try harness.send(name, #""increment""#) }
        try harness.settle()
        return harness.takePublished().filter { !$0.contains(" mark ") }
    }

    private func grant(_ count: Int64, _ number: Int, _ harness: EngineHarness) throws {
        _ = try harness.ask(
            .credit(SubscriptionName([0x73]), count), from: Self.connection(number))
    }

    /// Can't read one step when it is searched, as for the state before another one.
    private final class DamagedStore: ForwardingStore {
        var damaged: JournalPosition?

        override func record(at sequence: JournalPosition) throws(StoreError) -> JournalRecord? {
            if sequence == damaged { throw .corrupt("step \(sequence)") }
            return try super.record(at: sequence)
        }
    }

    @Test func `damage ends those that need the damaged step, and not the others`() throws {
        let store = DamagedStore(MemoryStore())
        let harness = try EngineHarness(store: store)
        for _ in 1...20 { _ = try harness.send("counter/a", #""increment""#) }
        for number in 0..<10 {
            _ = try harness.subscribe(
                "s", kinds: number % 3 == 0 ? .state : .output, from: .first,
                connection: Self.connection(number))
        }
        store.damaged = 10
        harness.published = []
        var closed: Set<ConnectionID> = []
        while harness.engine.hasBackgroundWork {
            let ready = try harness.engine.work(at: harness.now, store: harness.store)
            harness.published += ready.publications
            closed.formUnion(ready.closes.map(\.connection))
        }
        #expect(closed == Set([0, 3, 6, 9].map(Self.connection)))
        let records = records(harness.published)
        let outputs = (1...20).map { "s \($0 + 1).0 counter/a@\($0) output \($0)" }
        for number in 0..<10 where number % 3 != 0 {
            #expect(records[Self.connection(number)] == outputs)
        }
        for number in [0, 3, 6, 9] {
            let states = records[Self.connection(number)] ?? []
            #expect(states.count == 10 && states.last?.hasPrefix("s 10.1 ") == true, "\(states)")
        }
    }
}
