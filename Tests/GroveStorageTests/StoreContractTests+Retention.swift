import GroveEngine
import GroveStorage
import GroveTestSupport
import Testing

extension StoreContractTests {
    /// Cuts until nothing more goes, and notes in the model where the journal begins then.
    private func cutAll(
        _ store: any Store, _ model: inout StoreModel, to bounds: JournalBounds, at now: Int64,
        vainMax: Int = 2
    ) throws {
        var turns = 0
        var vain = 0
        var last = store.first
        while try store.truncate(to: bounds, at: Timestamp(milliseconds: now)) {
            // A turn may write rows whose steps the next one removes.
            vain = store.first > last ? 0 : vain + 1
            #expect(vain <= vainMax, "turns remove something")
            last = store.first
            turns += 1
            try #require(turns < 10_000, "cutting does not end")
        }
        model.floor = store.first
    }

    /// Many steps of two instances, committed bit by bit.
    private func filled(_ store: any Store) throws -> StoreModel {
        var model = StoreModel()
        model.create("a/a")
        model.create("a/aa")
        for round in 0..<400 {
            model.step("a/a", state: Array("state \(round)".utf8), key: Array("\(round)".utf8))
            model.step("a/aa", outputs: 1)
            if round % 7 == 6 { try commit(store, &model) }
        }
        try commit(store, &model)
        return model
    }

    @Test(arguments: StoreKind.allCases)
    func `a journal without or within bounds loses nothing`(kind: StoreKind) throws {
        let store = try kind.make()
        let now = Timestamp(milliseconds: 1_000_000)
        let tight = JournalBounds(stepsMax: 1, ageMillisecondsMax: 0, bytesMax: 0)
        #expect(try !store.truncate(to: tight, at: now), "an empty journal")
        var model = try filled(store)
        #expect(JournalBounds().isEmpty && !tight.isEmpty)
        for bounds in [
            JournalBounds(), JournalBounds(stepsMax: model.head),
            JournalBounds(ageMillisecondsMax: 1_000_000), JournalBounds(bytesMax: 1 << 30),
        ] {
            try cutAll(store, &model, to: bounds, at: now.milliseconds)
            #expect(store.first == 1, "\(bounds)")
        }
        var random = SeededRandom(seed: 1)
        #expect(try difference(store, model, isPurged: true, &random) == nil)
    }

    @Test(arguments: StoreKind.allCases)
    func `keeps the newest steps, and at most a block more`(kind: StoreKind) throws {
        let store = try kind.make()
        var model = try filled(store)
        for kept in [500, 100, 100, 3, 1] as [Int64] {
            try cutAll(store, &model, to: JournalBounds(stepsMax: kept), at: 0)
            let held = store.head - store.first + 1
            #expect(held >= kept && held < kept + 20, "\(held) steps instead of \(kept)")
            var random = SeededRandom(seed: 1)
            #expect(try difference(store, model, isPurged: true, &random) == nil)
        }
        model.step("a/a", state: [1])
        try commit(store, &model)
        var random = SeededRandom(seed: 2)
        #expect(try difference(store, model, isPurged: true, &random) == nil)
    }

    @Test(arguments: StoreKind.allCases)
    func `steps are kept for their time, by the newest of a block`(
        kind: StoreKind
    ) throws {
        let store = try kind.make()
        var model = try filled(store)
        // The model takes step n at 1,000 + n.
        try cutAll(
            store, &model, to: JournalBounds(ageMillisecondsMax: 300), at: 1_000 + model.head)
        let oldest = try #require(try store.record(at: store.first))
        #expect(oldest.sequence <= model.head - 300 && oldest.sequence > model.head - 330)
        try cutAll(store, &model, to: JournalBounds(ageMillisecondsMax: 300), at: 1_000_000)
        #expect(store.head - store.first < 20, "all but the newest block")
        try cutAll(store, &model, to: JournalBounds(ageMillisecondsMax: 0), at: 0)
        var random = SeededRandom(seed: 1)
        #expect(try difference(store, model, isPurged: true, &random) == nil)
    }

    @Test(arguments: StoreKind.allCases)
    func `steps of a clock that was ahead go with the next ones`(kind: StoreKind) throws {
        let store = try kind.make()
        var model = StoreModel()
        model.ahead = 1_000_000
        model.create("a/a")
        for round in 0..<400 {
            model.step("a/a", state: Array("state \(round)".utf8))
            if round % 2 == 1 { try commit(store, &model) }
        }
        let bounds = JournalBounds(ageMillisecondsMax: 300)
        try cutAll(store, &model, to: bounds, at: 3_000, vainMax: 30)
        #expect(store.first == 1, "nothing shows how old they are")
        model.ahead = 0
        for round in 0..<400 {
            model.step("a/a", state: Array("state \(round)".utf8))
            if round % 2 == 1 { try commit(store, &model) }
        }
        // The first of a right time is taken at 1,402.
        try cutAll(store, &model, to: bounds, at: 1_650, vainMax: 30)
        #expect(store.first == 1, "the next ones aren't old enough")
        try cutAll(store, &model, to: bounds, at: 1_900, vainMax: 30)
        #expect(store.first > 550 && store.first <= 602, "\(store.first)")
        var random = SeededRandom(seed: 1)
        #expect(try difference(store, model, isPurged: true, &random) == nil)
    }

    @Test(arguments: StoreKind.allCases)
    func `the newest bytes are kept`(kind: StoreKind) throws {
        let store = try kind.make()
        var model = try filled(store)
        var held: [Int64] = []
        for bytes in [1 << 20, 10_000, 3_000, 100] as [Int64] {
            try cutAll(store, &model, to: JournalBounds(bytesMax: bytes), at: 0)
            held.append(store.head - store.first + 1)
        }
        #expect(held[0] == model.head && held == held.sorted(by: >) && Set(held).count == 4)
        #expect(held[3] >= 1)
        var random = SeededRandom(seed: 1)
        #expect(try difference(store, model, isPurged: true, &random) == nil)
    }

    @Test(arguments: StoreKind.allCases)
    func `an instance without its old steps is deleted and purged`(kind: StoreKind) throws {
        let store = try kind.make()
        var model = try filled(store)
        try cutAll(store, &model, to: JournalBounds(stepsMax: 100), at: 0)
        model.delete("a/a")
        try commit(store, &model)
        try purgeAll(store)
        var random = SeededRandom(seed: 1)
        #expect(try difference(store, model, isPurged: true, &random) == nil)
        model.delete("a/aa")
        try commit(store, &model)
        try cutAll(store, &model, to: JournalBounds(stepsMax: 1), at: 0)
        try purgeAll(store)
        #expect(try difference(store, model, isPurged: true, &random) == nil)
    }

    @Test(arguments: StoreKind.allCases)
    func `a step with its base is kept`(kind: StoreKind) throws {
        let store = try kind.make()
        var model = StoreModel()
        model.create("a/a")
        let base = JournalRecord.Base(state: [1, 2, 3], at: Timestamp(milliseconds: 7))
        model.step("a/a", base: base)
        model.step("a/a", state: [9], base: base)
        try commit(store, &model)
        var random = SeededRandom(seed: 1)
        #expect(try difference(store, model, isPurged: true, &random) == nil)
        #expect(try store.record(at: 2)?.stateAt == 2)
        #expect(try store.record(at: 3)?.base == base)
    }

    @Test(arguments: StoreKind.allCases)
    func `expired instances are found page by page`(kind: StoreKind) throws {
        let store = try kind.make()
        var model = StoreModel()
        for number in 0..<20 { model.create("c/instance-\(number)", state: [1]) }
        for number in 0..<20 where number % 3 == 0 { model.finish("c/instance-\(number)") }
        model.create("b/1", state: Array(repeating: 7, count: 20_000))
        model.finish("b/1")
        try commit(store, &model)
        let last = Timestamp(milliseconds: 1_001 + model.head)
        var (found, next, pages): ([String], InstanceNumber?, Int) = ([], InstanceNumber(0), 0)
        while let place = next {
            let page = try store.finished(after: place, before: last, limit: 6)
            found += page.names.map(\.text)
            next = page.next
            pages += 1
        }
        let done = model.instances.values.filter(\.isDone).sorted { $0.number < $1.number }
        #expect(found == done.map(\.name.text))
        #expect(pages >= 4)
        let early = try store.finished(
            after: InstanceNumber(0), before: done[3].updated, limit: 100)
        #expect(early.names == done.prefix(3).map(\.name))
        #expect(early.next == nil)
        let none = try store.finished(after: InstanceNumber(21), before: last, limit: 100)
        #expect(none == FinishedPage(names: [], next: nil))
    }

    @Test(arguments: StoreKind.allCases, 1...8)
    func `a store agrees with a simple model while it is truncated`(kind: StoreKind, seed: Int)
        throws
    {
        print("seed \(seed): swift test --disable-xctest --filter 'while it forgets'")
        var random = SeededRandom(seed: UInt64(seed))
        let store = try kind.make()
        var model = StoreModel()
        for round in 0..<60 {
            model.change(&random)
            try commit(store, &model)
            if Bool.random(using: &random) {
                let kept = Int64.random(in: 1...200, using: &random)
                let bounds = JournalBounds(stepsMax: kept)
                _ = try store.truncate(to: bounds, at: Timestamp(milliseconds: 0))
                #expect(store.first >= model.floor)
                #expect(store.first == model.floor || store.head - store.first + 1 >= kept)
                model.floor = store.first
            }
            let isPurged = Bool.random(using: &random)
            if isPurged { try purgeAll(store) }
            if round % 10 == 9 {
                #expect(try difference(store, model, isPurged: isPurged, &random) == nil)
            }
        }
        try purgeAll(store)
        if let file = store as? SQLiteStore {
            #expect(try file.checkAll() == [])
            let path = file.path
            try file.close()
            let again = try SQLiteStore.open(path: path)
            #expect(try difference(again, model, isPurged: true, &random) == nil)
            #expect(try again.checkAll() == [])
            try again.close()
        }
    }
}
