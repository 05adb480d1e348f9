import GroveEngine
import GroveTestSupport
import Testing

@testable import GroveStorage

/// Bounds of single machines, for every store.
extension StoreContractTests {
    /// Truncates until nothing more goes, and records the held steps in the model.
    private func truncateAll(
        _ store: any Store, _ model: inout StoreModel, to bounds: [String: JournalBounds],
        at now: Int64 = 0
    ) throws {
        var turns = 0
        while try store.truncateMachines(to: bounds, at: Timestamp(milliseconds: now)) {
            turns += 1
            try #require(turns < 10_000, "trimming does not end")
        }
        model.noteFloors(store)
    }

    /// Steps of two machines, one after the other, committed bit by bit: machine `a` with one
    /// instance, machine `b` with two.
    private func filled(_ store: any Store) throws -> StoreModel {
        var model = StoreModel()
        for name in ["a/a", "b/1", "b/2"] { model.create(name) }
        for round in 0..<300 {
            model.step("a/a", state: Array("state \(round)".utf8), key: Array("\(round)".utf8))
            model.step("b/1", outputs: 1)
            if round % 3 == 0 { model.step("b/2", state: [UInt8(round % 200)]) }
            if round % 5 == 4 { try commit(store, &model) }
        }
        try commit(store, &model)
        return model
    }

    /// The places of a machine's steps that are there.
    private func held(_ store: any Store, _ machine: String) throws -> [JournalPosition] {
        try store.records(after: 0, limit: 100_000, bytes: .max).filter {
            $0.name?.machine == machine
        }.map(\.sequence)
    }

    private func expectSame(_ store: any Store, _ model: StoreModel) throws {
        var random = SeededRandom(seed: 1)
        #expect(try difference(store, model, isPurged: true, &random) == nil)
        if let file = store as? SQLiteStore { #expect(try file.checkAll() == []) }
    }

    @Test(arguments: StoreKind.allCases)
    func `machines without or within bounds lose nothing`(kind: StoreKind) throws {
        let store = try kind.make()
        let tight = JournalBounds(stepsMax: 1, ageMillisecondsMax: 0, bytesMax: 0)
        let now = Timestamp(milliseconds: 1_000_000)
        #expect(try !store.truncateMachines(to: ["a": tight], at: now), "an empty journal")
        var model = try filled(store)
        for bounds in [
            [:], ["c": tight], ["a": JournalBounds()], ["a": JournalBounds(stepsMax: 301)],
            ["b": JournalBounds(ageMillisecondsMax: 1_000_000, bytesMax: 1 << 30)],
        ] {
            try truncateAll(store, &model, to: bounds, at: now.milliseconds)
            #expect(store.floors == JournalFloors(journal: 1), "\(bounds)")
        }
        try expectSame(store, model)
    }

    @Test(arguments: StoreKind.allCases)
    func `a machine keeps its newest steps, and the others keep all`(kind: StoreKind) throws {
        let store = try kind.make()
        var model = try filled(store)
        let others = try held(store, "b")
        for kept in [200, 100, 100, 7, 1] as [Int64] {
            try truncateAll(store, &model, to: ["a": JournalBounds(stepsMax: kept)])
            let steps = try held(store, "a")
            #expect(steps.count >= kept && steps.count < kept + 10, "\(steps.count) of \(kept)")
            #expect(steps == model.places("a").suffix(steps.count), "the newest")
            #expect(try held(store, "b") == others)
            let floor = store.floors.first(of: "a")
            #expect(floor <= steps[0] && floor > (model.places("a").last { $0 < steps[0] } ?? 0))
            #expect(store.floors.first(of: "b") == 1 && store.floors.journal == 1)
            try expectSame(store, model)
        }
        model.step("a/a", state: [1])
        try commit(store, &model)
        try expectSame(store, model)
    }

    @Test(arguments: StoreKind.allCases)
    func `keeps steps of a machine for their time`(kind: StoreKind) throws {
        let store = try kind.make()
        var model = try filled(store)
        // The model takes step n at 1,000 + n.
        let bounds = ["a": JournalBounds(ageMillisecondsMax: 300)]
        try truncateAll(store, &model, to: bounds, at: 1_000 + model.head)
        let oldest = try #require(try held(store, "a").first)
        #expect(oldest <= model.head - 300 + 3 && oldest > model.head - 330)
        try truncateAll(store, &model, to: bounds, at: 1_000)
        #expect(try held(store, "a").first == oldest, "a clock that was put back brings nothing")
        try truncateAll(store, &model, to: bounds, at: 1_000_000)
        #expect(try held(store, "a").isEmpty, "the newest as well")
        #expect(store.floors.first(of: "a") == model.places("a").last.map { $0 + 1 })
        try expectSame(store, model)
        let state = try #require(model.instances["a/a"]?.state)
        model.step("a/a", base: JournalRecord.Base(state: state, at: Timestamp(milliseconds: 1)))
        try commit(store, &model)
        try expectSame(store, model)
    }

    @Test(arguments: StoreKind.allCases)
    func `steps of a machine go with later ones if the clock was ahead`(kind: StoreKind) throws {
        let store = try kind.make()
        var model = StoreModel()
        model.ahead = 1_000_000
        for name in ["a/a", "b/b", "c/c"] { model.create(name) }
        func fill() throws {
            for round in 0..<200 {
                model.step("a/a", state: Array("state \(round)".utf8))
                if model.ahead > 0 || round > 100 { model.step("b/b", outputs: 1) }
                model.step("c/c", outputs: 1)
                if round % 3 == 1 { try commit(store, &model) }
            }
            try commit(store, &model)
        }
        try fill()
        let ahead = model.head
        let bounds = [
            "a": JournalBounds(ageMillisecondsMax: 300), "b": JournalBounds(ageMillisecondsMax: 0),
            "c": JournalBounds(stepsMax: 1_000, ageMillisecondsMax: 1_000_000),
        ]
        try truncateAll(store, &model, to: bounds, at: 1_000 + ahead)
        #expect(try held(store, "a").first == 1, "nothing shows how old they are")
        model.ahead = 0
        try fill()
        let now = 1_000 + model.head
        try truncateAll(store, &model, to: bounds, at: now)
        let oldest = try #require(try held(store, "a").first)
        #expect(oldest <= now - 300 - 1_000 + 3 && oldest > now - 1_330, "\(oldest)")
        #expect(oldest > ahead)
        #expect(try held(store, "b").first ?? .max > model.head - 10)
        #expect(try held(store, "c").first == 3)
        try expectSame(store, model)
        // Nothing more goes, and nothing is searched for ever.
        #expect(try !store.truncateMachines(to: bounds, at: Timestamp(milliseconds: now)))
    }

    @Test(arguments: StoreKind.allCases)
    func `a machine keeps its newest bytes`(kind: StoreKind) throws {
        let store = try kind.make()
        var model = try filled(store)
        var counts: [Int] = []
        for bytes in [1 << 20, 5_000, 2_000, 100] as [Int64] {
            try truncateAll(store, &model, to: ["b": JournalBounds(bytesMax: bytes)])
            let steps = try held(store, "b")
            counts.append(steps.count)
            let kept = steps.reduce(0) { $0 + model.records[Int($1) - 1].encodedBytes }
            #expect(kept <= bytes && (kept > bytes - 600 || counts.count == 1), "\(kept)")
            try expectSame(store, model)
        }
        #expect(counts[0] == 402 && counts == counts.sorted(by: >))
        #expect(try held(store, "a").count == 301)
    }

    @Test(arguments: StoreKind.allCases)
    func `several machines have bounds, besides the bound of all`(
        kind: StoreKind
    ) throws {
        let store = try kind.make()
        var model = try filled(store)
        let bounds = [
            "a": JournalBounds(stepsMax: 50), "b": JournalBounds(ageMillisecondsMax: 400),
        ]
        try truncateAll(store, &model, to: bounds, at: 1_000 + model.head)
        #expect((50..<60).contains(try held(store, "a").count))
        #expect(try #require(try held(store, "b").first) > model.head - 430)
        try expectSame(store, model)
        while try store.truncate(to: JournalBounds(stepsMax: 90), at: Timestamp(milliseconds: 0)) {}
        model.noteFloors(store)
        #expect(store.floors.journal == store.first && model.head - store.first < 110)
        #expect(store.floors.machines.keys.allSatisfy { bounds[$0] != nil })
        try expectSame(store, model)
        // What the cut took is out of the count.
        try truncateAll(store, &model, to: ["a": JournalBounds(stepsMax: 20)])
        #expect((20..<30).contains(try held(store, "a").count))
        try expectSame(store, model)
    }

    @Test(arguments: StoreKind.allCases)
    func `empty positions at the old end are removed`(
        kind: StoreKind
    ) throws {
        let store = try kind.make()
        var model = StoreModel()
        model.create("a/a")
        for _ in 0..<200 {
            model.step("a/a", outputs: 1)
            try commit(store, &model)
        }
        model.create("b/1")
        for _ in 0..<10 { model.step("a/a") }
        try commit(store, &model)
        try truncateAll(store, &model, to: ["a": JournalBounds(stepsMax: 3)])
        #expect(store.first > 190 && store.first <= 202, "\(store.first)")
        #expect(store.floors.journal == 1 && store.floors.first(of: "b") == 1)
        #expect(store.floors.first(of: "a") >= 202)
        #expect(try store.record(at: 1) == nil)
        try expectSame(store, model)
        let beyond = try store.records(after: 10, limit: 1, bytes: 1)
        #expect(beyond.first?.sequence == store.first, "a read from before begins there")
        // A cut that takes something that was held moves the floor of all.
        for _ in 0..<30 { model.step("b/1") }
        try commit(store, &model)
        for _ in 0..<30 { model.step("b/1") }
        try commit(store, &model)
        while try store.truncate(to: JournalBounds(stepsMax: 5), at: Timestamp(milliseconds: 0)) {}
        model.noteFloors(store)
        #expect(store.floors == JournalFloors(journal: store.first))
        try expectSame(store, model)
    }

    @Test(arguments: StoreKind.allCases)
    func `an instance whose old steps were truncated is purged`(kind: StoreKind) throws {
        let store = try kind.make()
        var model = try filled(store)
        try truncateAll(store, &model, to: ["b": JournalBounds(stepsMax: 60)])
        model.delete("b/1")
        try commit(store, &model)
        try purgeAll(store)
        try expectSame(store, model)
        // One whose last steps go between its deletion and the sweep.
        model.delete("b/2")
        try commit(store, &model)
        try truncateAll(
            store, &model, to: ["b": JournalBounds(ageMillisecondsMax: 0)], at: 1_000_000)
        try purgeAll(store)
        try expectSame(store, model)
        #expect(try held(store, "b").isEmpty, "the record of the deletion as well")
        #expect(try held(store, "a").count == 301)
    }

    @Test(arguments: StoreKind.allCases)
    func `a removed bound returns nothing, and its floor stays`(
        kind: StoreKind
    ) throws {
        let store = try kind.make()
        var model = try filled(store)
        try truncateAll(store, &model, to: ["a": JournalBounds(stepsMax: 100)])
        let floor = store.floors.first(of: "a")
        for bounds in [[:], ["b": JournalBounds(stepsMax: 10_000)]] {
            try truncateAll(store, &model, to: bounds)
            #expect(store.floors.first(of: "a") == floor && floor > 1)
        }
        for _ in 0..<50 { model.step("a/a") }
        try commit(store, &model)
        try truncateAll(store, &model, to: ["a": JournalBounds(stepsMax: 120)])
        #expect((120..<130).contains(try held(store, "a").count), "it counts on from where it was")
        try expectSame(store, model)
        while try store.truncate(to: JournalBounds(stepsMax: 20), at: Timestamp(milliseconds: 0)) {}
        try truncateAll(store, &model, to: [:])
        #expect(store.floors == JournalFloors(journal: store.first), "the cut has overtaken it")
        try expectSame(store, model)
    }

    @Test(arguments: StoreKind.allCases, 1...8)
    func `a store agrees with a simple model while machines are truncated`(
        kind: StoreKind, seed: Int
    ) throws {
        print("seed \(seed): swift test --disable-xctest --filter 'while machines forget'")
        var random = SeededRandom(seed: UInt64(seed))
        var store = try kind.make()
        var model = StoreModel()
        let machines = ["a", "ab", "b", "c", "A", "nobody"]
        for round in 0..<60 {
            model.change(&random)
            try commit(store, &model)
            let before = store.floors
            var bounds: [String: JournalBounds] = [:]
            for machine in machines where Int.random(in: 0..<3, using: &random) == 0 {
                bounds[machine] = JournalBounds(
                    stepsMax: Int64.random(in: 1...40, using: &random),
                    ageMillisecondsMax: Bool.random(using: &random) ? 200 : nil,
                    bytesMax: Bool.random(using: &random) ? 20_000 : nil)
            }
            _ = try store.truncateMachines(
                to: bounds, at: Timestamp(milliseconds: 1_000 + model.head))
            if Int.random(in: 0..<5, using: &random) == 0 {
                _ = try store.truncate(
                    to: JournalBounds(stepsMax: 150), at: Timestamp(milliseconds: 0))
            }
            for machine in machines {
                #expect(store.floors.first(of: machine) >= before.first(of: machine))
            }
            model.noteFloors(store)
            let isPurged = Bool.random(using: &random)
            if isPurged { try purgeAll(store) }
            if let file = store as? SQLiteStore, round % 20 == 19 {
                #expect(try file.checkAll() == [])
                let (path, floors) = (file.path, file.floors)
                if Bool.random(using: &random) { try file.close() } else { file.shutDown() }
                store = try SQLiteStore.open(path: path, options: file.options)
                #expect(store.floors == floors)
            }
            if round % 10 == 9 {
                #expect(try difference(store, model, isPurged: isPurged, &random) == nil)
            }
        }
        try purgeAll(store)
        try expectSame(store, model)
    }
}
