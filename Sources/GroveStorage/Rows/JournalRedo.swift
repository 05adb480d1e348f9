import GroveEngine

/// The end of the journal, from which rows that lack it are made again: after a crash, in a copy,
/// and for an inspection. Runs no code of machines and writes nothing.
///
/// Opening a file reads these steps and verifies their chain, some tenths of a second at most. The
/// rows are read and made bucket by bucket (``BucketRedo``): when one is needed, with commits, and
/// in turns.
final class JournalRedo {
    /// The steps of instances after the redo point.
    let steps: Int64

    /// The bytes of these steps.
    let journalBytes: Int64

    /// The instances with numbers higher than `lastNumber`, the parameter of the initializer.
    let created: Set<InstanceNumber>

    /// Weak, because the store must release its statements when it closes.
    private weak var tables: Tables?

    /// The blocks after the redo point, in order.
    private let blocks: [JournalBlock]
    /// The bytes of steps before each block, from the redo point on.
    private let starts: [Int64]
    /// The steps of each bucket that isn't begun yet, in the order of the journal.
    private var places: [RowBucket.ID: [BucketRedo.Place]]

    /// The buckets that are begun and not made yet.
    private var begun: [RowBucket.ID: BucketRedo] = [:]

    /// The buckets that aren't made yet and have steps that change effects.
    private(set) var bucketsWithEffects: Set<RowBucket.ID>

    /// Reads the journal after the redo point.
    ///
    /// - Parameters:
    ///   - point: The redo point of the file.
    ///   - first: The journal's oldest position.
    ///   - head: Its newest one.
    ///   - lastNumber: The last instance number in `meta`.
    /// - Throws: `.corrupt` when the end of the journal is damaged, or the point is after it.
    init(
        after point: RedoPoint, first: JournalPosition, head: JournalPosition, lastNumber: Int64,
        _ tables: Tables
    ) throws(StoreError) {
        guard point.step >= 0, point.step <= head else {
            throw .corrupt("table redo names step \(point.step), and the journal ends with \(head)")
        }
        self.tables = tables
        let start = max(point.step + 1, first)
        let blocks = try Self.readBlocks(from: start, to: head, tables)
        var starts: [Int64] = []
        var bytes: Int64 = 0
        var steps: Int64 = 0
        var places: [RowBucket.ID: [BucketRedo.Place]] = [:]
        var created: Set<InstanceNumber> = []
        var withEffects: Set<RowBucket.ID> = []
        for (index, block) in blocks.enumerated() {
            starts.append(bytes)
            bytes += Int64(block.bytes.count)
            for sequence in max(start, block.first)..<block.end {
                let range = block.steps[Int(sequence - block.first)]
                let step = try block.bytes.read(range) { bytes throws(StoreError) in
                    try JournalHeading.instance(decoding: bytes)
                }
                guard let (number, changesEffects, hasDedup) = step else { continue }
                steps += 1
                if changesEffects { withEffects.insert(RowBucket.id(of: number.value)) }
                if number.value > lastNumber { created.insert(number) }
                places[RowBucket.id(of: number.value), default: []].append(
                    BucketRedo.Place(
                        number, sequence: sequence, block: index, hasDedup: hasDedup))
            }
        }
        self.blocks = blocks
        self.starts = starts
        self.places = places
        self.steps = steps
        self.created = created
        bucketsWithEffects = withEffects
        journalBytes = bytes
    }

    /// Reads the blocks and verifies their chain.
    private static func readBlocks(
        from start: JournalPosition, to head: JournalPosition, _ tables: Tables
    ) throws(StoreError) -> [JournalBlock] {
        var blocks: [JournalBlock] = []
        var next = start
        while next <= head {
            guard let block = try tables.journal.block(atOrBefore: next), next < block.end else {
                throw .corrupt("journal step \(next) is missing")
            }
            if let previous = blocks.last { try block.verify(follows: previous) }
            blocks.append(block)
            next = block.end
        }
        return blocks
    }

    /// Whether all rows are made.
    var isEmpty: Bool { places.isEmpty && begun.isEmpty }

    /// The buckets, when none is begun yet: oldest first, with the steps of each.
    var buckets: [(bucket: RowBucket, steps: Int)] {
        places.compactMap { id, places in
            guard let oldest = places.first else { return nil }
            return (RowBucket(id: id, since: point(before: oldest)), places.count)
        }.sorted { $0.bucket.since.step < $1.bucket.since.step }
    }

    private func point(before place: BucketRedo.Place) -> RedoPoint {
        RedoPoint(step: place.sequence - 1, byte: starts[place.block])
    }

    /// Makes rows of a bucket from about as many steps as there is room for. Once all are made,
    /// calls `body` for each instance, once.
    ///
    /// A row that doesn't match its checksum is passed over: reading that instance fails, as it
    /// would without a redo.
    ///
    /// - Parameter room: Becomes smaller by the number of steps, and 0 if some are left.
    /// - Returns: Whether all rows of the bucket are made.
    /// - Throws: `.corrupt` when a step or an entry of `garbage` is damaged; `.inputOutput`.
    func make(
        _ id: RowBucket.ID, room: inout Int, _ body: (BucketRedo.Rows) -> Void
    ) throws(StoreError) -> Bool {
        if let places = places.removeValue(forKey: id) { begun[id] = BucketRedo(id, places) }
        guard let index = begun.index(forKey: id) else { return true }
        guard let tables else { throw .inputOutput("the store is closed") }
        let source = BucketRedo.Source(blocks: blocks, starts: starts, tables: tables)
        guard try begun.values[index].advance(source, room: &room) else { return false }
        for rows in begun.values[index].made { body(rows) }
        begun.remove(at: index)
        bucketsWithEffects.remove(id)
        return true
    }
}
