import GroveEngine
import GroveStorage
import GroveTestSupport
import Testing

extension StoreContractTests {
    /// A time like those of today, in milliseconds since 1970.
    private static let noon: Int64 = 1_700_000_000_000

    private func at(_ offset: Int64) -> Timestamp {
        Timestamp(milliseconds: StoreContractTests.noon + offset)
    }

    /// An empty store, and a model with three instances that are not committed yet.
    private func prepared(_ kind: StoreKind) throws -> (store: any Store, model: StoreModel) {
        var model = StoreModel()
        for name in ["a/a", "a/aa", "b/1"] { model.create(name) }
        return (try kind.make(), model)
    }

    @Test(arguments: StoreKind.allCases)
    func `has no effects at first`(kind: StoreKind) throws {
        let store = try kind.make()
        #expect(try store.effects(of: InstanceNumber(1)).isEmpty)
        #expect(try store.effect(EffectRef(instance: InstanceNumber(1), number: 1)) == nil)
        #expect(try store.effectsDue(at: Timestamp(milliseconds: .max), limit: 10).isEmpty)
        #expect(try store.nextDue() == nil)
        #expect(try store.handlerQueues().isEmpty)
        #expect(try store.effects(inHandlerQueue: "pay", after: nil, limit: 10).isEmpty)
        #expect(try store.effects(after: nil, limit: 10).isEmpty)
    }

    @Test(arguments: StoreKind.allCases)
    func `keeps the effects of each instance in the order of their runs`(
        kind: StoreKind
    ) throws {
        var (store, model) = try prepared(kind)
        var refs: [EffectRef] = []
        for round in 0..<300 {
            let name = ["a/a", "a/aa", "b/1"][round % 3]
            refs.append(model.begin(name, reason: "\(round)"))
            if round % 70 == 69 { try commit(store, &model) }
        }
        try commit(store, &model)
        for number in 1...3 {
            let found = try store.effects(of: InstanceNumber(Int64(number)))
            #expect(found.map(\.ref.number) == Array(1...100))
            #expect(found.allSatisfy { $0 == model.effects[$0.ref] })
        }
        #expect(try store.effects(of: InstanceNumber(0)).isEmpty)
        #expect(try store.effects(of: InstanceNumber(4)).isEmpty)
        for ref in refs { #expect(try store.effect(ref) == model.effects[ref]) }
        #expect(try store.effect(EffectRef(instance: InstanceNumber(1), number: 0)) == nil)
        #expect(try store.effect(EffectRef(instance: InstanceNumber(1), number: 101)) == nil)
    }

    @Test(arguments: StoreKind.allCases)
    func `keeps an effect's whole row`(kind: StoreKind) throws {
        var (store, model) = try prepared(kind)
        let ref = model.begin("a/a", due: .max, lane: "pay")
        var row = try #require(model.effects[ref])
        row.body.begun = 5
        row.body.delivered = 2
        row.body.token = "a token with \u{0} and é"
        row.body.child = "b/1"
        row.body.outcome = .failure("why")
        row.body.parent = 7
        row.body.rest = []
        row.body.outstanding = 3
        row.body.isBroken = true
        row.body.isFinal = true
        row.body.reason = String(repeating: "long ", count: 100_000)
        model.write(row, ref)
        try commit(store, &model)
        #expect(try store.effect(ref) == row)
        let old = model.begin("a/a", due: .min, lane: "")
        try commit(store, &model)
        #expect(try store.effect(old) == model.effects[old])
        #expect(try store.effectsDue(at: Timestamp(milliseconds: .max), limit: 2) == [old, ref])
        #expect(try store.nextDue() == Timestamp(milliseconds: .min))
        #expect(try store.handlerQueues() == ["", "pay"])
        #expect(try store.effects(inHandlerQueue: "", after: nil, limit: 9) == [old])
    }

    @Test(arguments: StoreKind.allCases)
    func `due effects come earliest first, then by their ref`(
        kind: StoreKind
    ) throws {
        var (store, model) = try prepared(kind)
        let noon = StoreContractTests.noon
        let late = model.begin("a/a", due: noon + 10)
        let tie = model.begin("a/aa", due: noon)
        let early = model.begin("b/1", due: noon - 1)
        let same = model.begin("a/a", due: noon)
        model.begin("a/a", lane: "pay")
        try commit(store, &model)
        #expect(try store.effectsDue(at: at(-2), limit: 10).isEmpty)
        #expect(try store.effectsDue(at: at(-1), limit: 10) == [early], "exactly now is due")
        #expect(try store.effectsDue(at: at(0), limit: 10) == [early, same, tie])
        #expect(try store.effectsDue(at: at(9), limit: 10) == [early, same, tie])
        #expect(try store.effectsDue(at: at(10), limit: 10) == [early, same, tie, late])
        #expect(try store.effectsDue(at: at(10), limit: 2) == [early, same])
        #expect(try store.effectsDue(at: at(10), limit: 0).isEmpty)
        #expect(try store.nextDue() == at(-1))
        model.end(early)
        try commit(store, &model)
        #expect(try store.nextDue() == at(0))
        for ref in [same, tie, late] { model.change(ref) }
        try commit(store, &model)
        #expect(try store.nextDue() == nil)
        #expect(try store.effectsDue(at: at(100), limit: 10).isEmpty)
    }

    @Test(arguments: StoreKind.allCases)
    func `effects that wait for a handler are paged`(kind: StoreKind) throws {
        var (store, model) = try prepared(kind)
        var refs: [EffectRef] = []
        for round in 0..<30 {
            let ref = model.begin(["a/a", "a/aa", "b/1"][round % 3], lane: "pay")
            refs.append(ref)
        }
        refs.sort()
        let other = model.begin("a/a", lane: "payment")
        model.begin("a/a", lane: "Pay")
        model.begin("a/a", lane: "pa")
        model.begin("a/a", due: StoreContractTests.noon)
        try commit(store, &model)
        func page(_ after: EffectRef?, _ limit: Int) throws -> [EffectRef] {
            try store.effects(inHandlerQueue: "pay", after: after, limit: limit)
        }
        #expect(try store.handlerQueues() == ["Pay", "pa", "pay", "payment"])
        #expect(try page(nil, 1_000) == refs)
        #expect(try page(nil, 0).isEmpty)
        for (index, ref) in refs.enumerated() {
            #expect(try page(ref, 7) == Array(refs[(index + 1)...].prefix(7)))
        }
        let between = EffectRef(instance: InstanceNumber(1), number: 1_000)
        #expect(try page(between, 1) == [refs[10]], "the place needs no effect")
        #expect(try page(EffectRef(instance: InstanceNumber(9), number: 1), 9).isEmpty)
        #expect(try store.effects(inHandlerQueue: "payment", after: nil, limit: 9) == [other])
        #expect(try store.effects(inHandlerQueue: "paym", after: nil, limit: 9).isEmpty)
        #expect(try store.effects(inHandlerQueue: "zzz", after: nil, limit: 9).isEmpty)
    }

    @Test(arguments: StoreKind.allCases)
    func `pages all effects in the order of their refs`(kind: StoreKind) throws {
        var (store, model) = try prepared(kind)
        for round in 0..<30 { model.begin(["b/1", "a/aa", "a/a"][round % 3]) }
        try commit(store, &model)
        let refs = model.effects.keys.sorted()
        func page(_ after: EffectRef?, _ limit: Int) throws -> [EffectRef] {
            try store.effects(after: after, limit: limit).map(\.ref)
        }
        #expect(try page(nil, 1_000) == refs)
        #expect(try page(nil, 0).isEmpty)
        for (index, ref) in refs.enumerated() {
            #expect(try page(ref, 4) == Array(refs[(index + 1)...].prefix(4)))
        }
        #expect(try page(EffectRef(instance: InstanceNumber(0), number: 9), 1) == [refs[0]])
        #expect(try page(EffectRef(instance: InstanceNumber(2), number: 99), 1) == [refs[20]])
        #expect(try store.effects(after: nil, limit: 3).map(\.body.owner) == ["a/a", "a/a", "a/a"])
    }

    @Test(arguments: StoreKind.allCases)
    func `moves an effect between its time and its handler`(kind: StoreKind) throws {
        var (store, model) = try prepared(kind)
        let ref = model.begin("a/a", lane: "pay")
        func places() throws -> [Bool] {
            [
                try store.nextDue() != nil,
                try !store.effectsDue(at: at(0), limit: 1).isEmpty,
                try !store.effects(inHandlerQueue: "pay", after: nil, limit: 1).isEmpty,
                try !store.effects(inHandlerQueue: "mail", after: nil, limit: 1).isEmpty,
                try !store.handlerQueues().isEmpty,
            ]
        }
        try commit(store, &model)
        #expect(try places() == [false, false, true, false, true])
        model.change(ref, due: StoreContractTests.noon)
        try commit(store, &model)
        #expect(try places() == [true, true, false, false, false])
        model.change(ref, due: StoreContractTests.noon + 1)
        try commit(store, &model)
        #expect(try places() == [true, false, false, false, false])
        model.change(ref, due: StoreContractTests.noon, lane: "mail")
        try commit(store, &model)
        #expect(try places() == [true, true, false, true, true], "a handler with a time limit")
        model.change(ref)
        try commit(store, &model)
        #expect(try places() == [false, false, false, false, false])
        #expect(try store.effect(ref) == model.effects[ref])
        #expect(model.effects[ref]?.body.failures == 4)
    }

    @Test(arguments: StoreKind.allCases)
    func `a commit writes the last change of an effect`(kind: StoreKind) throws {
        var (store, model) = try prepared(kind)
        let brief = model.begin("a/a", due: 1, lane: "pay")
        model.end(brief)
        let kept = model.begin("a/a", due: 1)
        model.change(kept, lane: "pay")
        try commit(store, &model)
        #expect(try store.effect(brief) == nil, "it began and ended")
        #expect(try store.effects(of: InstanceNumber(1)) == [try #require(model.effects[kept])])
        #expect(try store.nextDue() == nil)
        model.change(kept, due: 2)
        model.end(kept)
        try commit(store, &model)
        #expect(try store.effects(after: nil, limit: 9).isEmpty)
        #expect(try store.nextDue() == nil)
        #expect(try store.handlerQueues().isEmpty)
    }

    @Test(arguments: StoreKind.allCases)
    func `takes effects in any order, and alone`(kind: StoreKind) throws {
        var (store, model) = try prepared(kind)
        try commit(store, &model)
        var writes = WriteSet(firstSequence: store.head + 1)
        let template = try #require(model.effects[model.begin("a/a")])
        var refs: [EffectRef] = []
        for place in 0..<100 {
            var row = template
            row.ref = EffectRef(
                instance: InstanceNumber(Int64(1 + place % 3)), number: Int64(200 - place))
            row.due = at(Int64(place))
            writes.write(row, of: row.ref, isNew: true)
            refs.append(row.ref)
        }
        #expect(!writes.isEmpty)
        try store.commit(writes)
        #expect(store.head == 3)
        #expect(try store.effects(after: nil, limit: 1_000).map(\.ref) == refs.sorted())
        #expect(try store.effectsDue(at: at(1_000), limit: 1_000) == refs)
    }

    @Test(arguments: StoreKind.allCases)
    func `keeps an effect of a deleted instance until it is removed`(kind: StoreKind) throws {
        var (store, model) = try prepared(kind)
        let gone = model.begin("a/a", due: 1)
        let stays = model.begin("a/a", lane: "pay")
        try commit(store, &model)
        var row = try #require(model.effects[stays])
        row.body.phase = .stopping
        model.delete("a/a")
        model.write(row, stays)
        try commit(store, &model)
        try purgeAll(store)
        #expect(try store.effect(gone) == nil)
        #expect(try store.effects(of: InstanceNumber(1)) == [row])
        #expect(try store.effects(inHandlerQueue: "pay", after: nil, limit: 9) == [stays])
        model.write(nil, stays)
        try commit(store, &model)
        #expect(try store.effects(of: InstanceNumber(1)).isEmpty)
    }

    @Test(arguments: StoreKind.allCases)
    func `a store counts effects and keeps their records`(kind: StoreKind) throws {
        var (store, model) = try prepared(kind)
        func gauge() -> Int64? { store.statistics().first { $0.name == "effects" }?.value }
        #expect(gauge() == 0)
        let ref = model.begin("a/a", due: 1)
        model.begin("a/a")
        model.note("a/a", [Array(#"{"effect":1}"#.utf8), Array("{}".utf8)])
        try commit(store, &model)
        #expect(gauge() == 2)
        model.end(ref)
        try commit(store, &model)
        #expect(gauge() == 1)
        let record = try store.record(at: 4)
        #expect(record?.kind == .effect)
        #expect(record == model.records[3])
        let name = try #require(InstanceName("a/a"))
        #expect(try store.instance(named: name)?.effectCount == 1)
        #expect(try store.instance(named: name)?.lastEffectNumber == 2)
    }
}
