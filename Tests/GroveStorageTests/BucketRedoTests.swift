import GroveTestSupport
import Testing

@testable import GroveEngine
@testable import GroveStorage

/// `BucketRedo`: turns end within the steps of one instance, and whatever comes between two turns
/// finds all steps. And faults in rows that a redo begins with.
@Suite("The redo of one bucket")
struct BucketRedoTests {
    /// A store in which one instance made nearly all steps. Its neighbors made a few, and their
    /// rows have some of these.
    private static func prepared(
        steps: Int = 3_000
    ) throws -> (store: SQLiteStore, model: StoreModel) {
        let store = try SQLiteStore.open(path: TestDirectory.make() + "/data.grove")
        var model = StoreModel()
        for name in ["m/a", "m/b", "m/c", "m/gone", "m/hot", "m/z"] { model.create(name) }
        try store.commit(model.takeWrites())
        for step in 0..<steps {
            let text = Array("\(step)".utf8)
            model.step("m/hot", state: text, key: step % 4 == 0 ? text : nil)
            if step % 500 == 7 {
                model.step("m/a", state: text, key: text)
                model.step("m/z", state: text)
                let ref = model.ask("m/hot", lane: "pay")
                if step < steps / 2 { model.complete(ref) }
            }
            if step % 50 == 0 { try store.commit(model.takeWrites()) }
            if step == steps / 3 {
                // The first third has its rows.
                try store.commit(model.takeWrites())
                while try store.writeBackOldest(rows: 100, try store.tables()) {}
            }
        }
        model.delete("m/gone")
        try store.commit(model.takeWrites())
        return (store, model)
    }

    private static func instance(
        _ name: String, in store: SQLiteStore
    ) throws -> StoredInstance? {
        try store.instance(named: try #require(InstanceName(name)))
    }

    private static func expectSame(_ store: SQLiteStore, _ model: StoreModel) throws {
        var random = SeededRandom(seed: 5)
        #expect(try difference(store, model, isPurged: false, &random) == nil)
        #expect(try store.checkAll() == [])
    }

    /// The rows that a redo from the first step makes of a store's only bucket, in turns with room
    /// for some steps. Also how many turns there were.
    private static func made(
        _ store: SQLiteStore, room perTurn: Int
    ) throws -> (rows: [BucketRedo.Rows], turns: Int) {
        let redo = try JournalRedo(
            after: RedoPoint(step: 0), first: store.first, head: store.head, lastNumber: 0,
            try store.tables())
        let bucket = try #require(redo.buckets.first)
        #expect(redo.buckets.count == 1)
        #expect(Int64(bucket.steps) == redo.steps)
        var rows: [BucketRedo.Rows] = []
        var turns = 1
        var room = perTurn
        while try !redo.make(bucket.bucket.id, room: &room, { rows.append($0) }) {
            #expect(room == 0 && rows.isEmpty)
            #expect(!redo.isEmpty)
            turns += 1
            room = perTurn
        }
        #expect(redo.isEmpty && redo.bucketsWithEffects.isEmpty)
        #expect(try redo.make(bucket.bucket.id, room: &room) { _ in Issue.record("again") })
        return (rows, turns)
    }

    @Test func `turns end within the steps of one instance, and make the same rows`() throws {
        let (store, _) = try Self.prepared()
        let (atOnce, one) = try Self.made(store, room: .max)
        #expect(one == 1)
        let hot = try #require(atOnce.first { $0.instance?.name.text == "m/hot" })
        #expect(hot.dedups.count > 400 && hot.effects.count == 3 && hot.since != nil)
        for room in [1, 7, 100, 2_999, 3_001] {
            let (rows, turns) = try Self.made(store, room: room)
            #expect(turns >= 2_000 / room, "of the steps that the row lacks")
            Self.expectEqual(rows, atOnce)
        }
        try store.close()
    }

    private static func expectEqual(_ rows: [BucketRedo.Rows], _ atOnce: [BucketRedo.Rows]) {
        #expect(rows.map(\.number) == atOnce.map(\.number))
        #expect(rows.map(\.instance) == atOnce.map(\.instance))
        #expect(rows.map(\.since?.step) == atOnce.map(\.since?.step))
        #expect(rows.map(\.effects) == atOnce.map(\.effects))
        #expect(rows.map { $0.dedups.map(\.key) } == atOnce.map { $0.dedups.map(\.key) })
        #expect(rows.allSatisfy { $0.failure == nil })
    }

    /// What a redo from the first step reads; and the same with a block, of those in the middle,
    /// whose steps are of no known kind. Also the steps.
    private static func sources(
        _ store: SQLiteStore
    ) throws -> (sound: BucketRedo.Source, damaged: BucketRedo.Source, places: [BucketRedo.Place]) {
        let tables = try store.tables()
        var blocks: [JournalBlock] = []
        var places: [BucketRedo.Place] = []
        while blocks.last.map({ $0.end <= store.head }) ?? true {
            let next = blocks.last?.end ?? store.first
            let block = try #require(try tables.journal.block(atOrBefore: next))
            for sequence in block.first..<block.end {
                let record = try block.record(at: sequence)
                guard record.kind != .deleted else { continue }
                places.append(
                    BucketRedo.Place(
                        record.number, sequence: sequence, block: blocks.count,
                        hasDedup: record.dedup != nil))
            }
            blocks.append(block)
        }
        let starts = blocks.map { _ in Int64(0) }
        let sound = BucketRedo.Source(blocks: blocks, starts: starts, tables: tables)
        let middle = blocks.count * 2 / 3
        let block = blocks[middle]
        var bytes = block.bytes
        for step in block.steps { bytes[step.lowerBound] = 0x0D }
        blocks[middle] = try JournalBlock(
            first: block.first, count: Int64(block.steps.count), bytes: bytes, link: block.link,
            chain: block.chain)
        let damaged = BucketRedo.Source(blocks: blocks, starts: starts, tables: tables)
        return (sound, damaged, places)
    }

    @Test(arguments: [1, 100, .max])
    func `after an error the next call begins with the same step`(room perTurn: Int) throws {
        let (store, _) = try Self.prepared()
        do {
            let (sound, damaged, places) = try Self.sources(store)
            func rows(_ redo: inout BucketRedo) throws -> [BucketRedo.Rows] {
                var room = perTurn
                while try !redo.advance(sound, room: &room) { room = perTurn }
                return redo.made
            }
            var atOnce = BucketRedo(0, places)
            let expected = try rows(&atOnce)
            var redo = BucketRedo(0, places)
            for _ in 0..<3 {
                #expect(throws: StoreError.self) {
                    var room = perTurn
                    while try !redo.advance(damaged, room: &room) { room = perTurn }
                }
            }
            Self.expectEqual(try rows(&redo), expected)
            #expect(expected.contains { $0.dedups.count > 400 && $0.effects.count == 3 })
        }
        try store.close()
    }

    /// What comes while a bucket is begun and not made.
    enum Interruption: CaseIterable {
        case nothing, read, search, stepOfTheSame, stepOfANeighbor, deletion, crash, stop
    }

    @Test(arguments: Interruption.allCases)
    func `what comes between two turns finds all steps`(_ interruption: Interruption) throws {
        var (store, model) = try Self.prepared()
        store.shutDown()
        store = try SQLiteStore.open(path: store.path)
        let unmade = store.pending.unmadeSteps
        #expect(unmade > 2_000)
        #expect(try store.pending.makeSome(steps: 700))
        #expect(store.pending.unmadeSteps == unmade, "all steps of the bucket, until it is made")
        switch interruption {
        case .nothing: break
        case .read:
            #expect(try Self.instance("m/hot", in: store)?.state == Array("2999".utf8))
        case .search:
            #expect(try store.effects(inHandlerQueue: "pay", after: nil, limit: 9).count == 3)
        case .stepOfTheSame: model.step("m/hot", state: [7], key: [7])
        case .stepOfANeighbor: model.step("m/c", state: [7], key: [7])
        case .deletion: model.delete("m/hot")
        case .crash:
            store.shutDown()
            store = try SQLiteStore.open(path: store.path)
        case .stop:
            try store.close()
            store = try SQLiteStore.open(path: store.path)
            #expect(store.redoneSteps == 0)
        }
        if model.head > store.head { try store.commit(model.takeWrites()) }
        while try store.makeRows() {}
        #expect(store.pending.unmadeSteps == 0)
        try Self.expectSame(store, model)
        try store.close()
    }

    @Test func `a turn of a store is about as many steps, whatever instances they are of`() throws {
        var (store, model) = try Self.prepared()
        store.shutDown()
        store = try SQLiteStore.open(path: store.path)
        var turns = 1
        while try store.makeRows() { turns += 1 }
        #expect(turns > 2_000 / StoreLimits.redoneStepsPerTurn)
        try Self.expectSame(store, model)
        try store.close()
    }

    // MARK: Planted faults

    /// Changes a row in its table as a faulty redo would have left it, and opens the file again.
    private static func reopened(
        _ store: SQLiteStore, _ name: String, _ change: (inout StoredInstance) -> Void
    ) throws -> SQLiteStore {
        try plant(store, try #require(InstanceName(name)), change)
        store.shutDown()
        return try SQLiteStore.open(path: store.path)
    }

    private static func plant(
        _ store: SQLiteStore, _ name: InstanceName, _ change: (inout StoredInstance) -> Void
    ) throws {
        let tables = try store.tables()
        var row = try #require(try tables.instances.find(name))
        change(&row)
        var snapshot: [UInt8] = []
        row.encode(into: &snapshot)
        try store.transaction(tables) { (tables) throws(SQLiteFailure) in
            let text = Array(name.text.utf8)
            try text.withUnsafeBufferPointer { (text) throws(SQLiteFailure) in
                try snapshot.withUnsafeBufferPointer { (bytes) throws(SQLiteFailure) in
                    try tables.instances.update(
                        row.number, name: UnsafeRawBufferPointer(text),
                        store.content(UnsafeRawBufferPointer(bytes)))
                }
            }
        }
    }

    @Test func `a step that was left out is found`() throws {
        // Within: the next step doesn't follow.
        var (store, _) = try Self.prepared()
        store = try Self.reopened(store, "m/hot") { $0.newest += 1 }
        #expect(throws: StoreError.self) { while try store.makeRows() {} }
        store.shutDown()
        // The last one: the row claims it, and has the state before.
        var model: StoreModel
        (store, model) = try Self.prepared()
        let newest = try #require(try Self.instance("m/hot", in: store))
        store = try Self.reopened(store, "m/hot") { row in
            let state = row.state
            row = newest
            row.state = state
        }
        while try store.makeRows() {}
        var random = SeededRandom(seed: 5)
        #expect(try difference(store, model, isPurged: false, &random) != nil)
        #expect(try store.checkAll() != [])
        store.shutDown()
    }

    @Test func `a row that is newer than the mark counts for its own steps only`() throws {
        var (store, model) = try Self.prepared()
        let newest = try #require(try Self.instance("m/hot", in: store))
        // As if it was written back, and the mark was not: then its effects have rows, too.
        for row in try store.effects(of: newest.number) { model.complete(row.ref) }
        try store.commit(model.takeWrites())
        let last = try #require(try Self.instance("m/hot", in: store))
        store = try Self.reopened(store, "m/hot") { $0 = last }
        while try store.makeRows() {}
        try Self.expectSame(store, model)
        try store.close()
    }

    @Test func `a row that is newer than the journal is refused`() throws {
        var (store, model) = try Self.prepared()
        let head = store.head
        store = try Self.reopened(store, "m/b") { row in
            row.newest = head + 1
            row.version += 1
        }
        let error = #expect(throws: StoreError.self) { try Self.instance("m/b", in: store) }
        #expect("\(try #require(error))".contains("is newer than the journal"))
        #expect(try store.checkAll() != [])
        // The others are as they were.
        #expect(try Self.instance("m/hot", in: store)?.state == Array("2999".utf8))
        model.step("m/z", state: [7])
        try store.commit(model.takeWrites())
        store.shutDown()
    }
}
