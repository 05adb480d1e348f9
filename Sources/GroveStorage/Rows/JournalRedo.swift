import GroveEngine

/// Makes the rows that are behind the journal again from its end: after a crash, in a copy, and for
/// an inspection. Runs no code of machines and writes nothing.
struct JournalRedo {
    let pending: PendingRows

    /// The steps that were applied to rows.
    private(set) var steps: Int64 = 0

    private let tables: Tables

    /// The blocks after the redo point, in order.
    private var blocks: [JournalBlock] = []
    /// The bytes of steps before each block, from the redo point on.
    private var starts: [Int64] = []

    /// A step after the redo point.
    private struct Place {
        var number: InstanceNumber
        var sequence: JournalPosition
        var block: Int
    }

    /// Reads the journal after the redo point.
    ///
    /// - Parameters:
    ///   - point: The redo point of the file.
    ///   - first: The journal's oldest position.
    ///   - head: Its newest one.
    /// - Throws: `.corrupt` when the end of the journal is damaged, or a row is neither there nor
    ///   deleted, or a step doesn't follow the row before it. An instance whose row is damaged is
    ///   passed over: reading it fails, as it would without a redo.
    init(
        after point: RedoPoint, first: JournalPosition, head: JournalPosition, bounds: RedoBounds,
        _ tables: Tables
    ) throws(StoreError) {
        guard point.step >= 0, point.step <= head else {
            throw .corrupt("table redo names step \(point.step), and the journal ends with \(head)")
        }
        pending = PendingRows(bounds: bounds)
        self.tables = tables
        let start = max(point.step + 1, first)
        guard start <= head else { return }
        let bytes = try readBlocks(from: start, to: head)
        var places = try placesOfSteps(from: start)
        places.sort { ($0.number, $0.sequence) < ($1.number, $1.sequence) }
        var from = 0
        while from < places.count {
            let number = places[from].number
            let end = places[from...].firstIndex { $0.number != number } ?? places.count
            try redo(number, places[from..<end])
            from = end
        }
        pending.endRestoring(journalBytes: bytes)
    }

    /// Reads the blocks and verifies their chain. Returns the bytes of their steps.
    private mutating func readBlocks(
        from start: JournalPosition, to head: JournalPosition
    ) throws(StoreError) -> Int64 {
        var next = start
        var bytes: Int64 = 0
        while next <= head {
            guard let block = try tables.journal.block(atOrBefore: next), next < block.end else {
                throw .corrupt("journal step \(next) is missing")
            }
            if let previous = blocks.last { try block.verify(follows: previous) }
            blocks.append(block)
            starts.append(bytes)
            bytes += Int64(block.bytes.count)
            next = block.end
        }
        return bytes
    }

    private func placesOfSteps(from start: JournalPosition) throws(StoreError) -> [Place] {
        var places: [Place] = []
        for (index, block) in blocks.enumerated() {
            for sequence in max(start, block.first)..<block.end {
                let range = block.steps[Int(sequence - block.first)]
                let number = try block.bytes.read(range) { bytes throws(StoreError) in
                    try JournalHeading.instance(decoding: bytes)
                }
                if let number {
                    places.append(Place(number: number, sequence: sequence, block: index))
                }
            }
        }
        return places
    }

    /// Redoes the steps of one instance.
    private mutating func redo(
        _ number: InstanceNumber, _ places: ArraySlice<Place>
    ) throws(StoreError) {
        var instance: StoredInstance?
        var isDamaged = false
        do throws(StoreError) {
            instance = try tables.instances.find(number)
        } catch .corrupt {
            isDamaged = true
        }
        if instance == nil, !isDamaged {
            guard try tables.garbage.holds(number) else {
                throw .corrupt("instance \(number.value), which has journal steps, has no row")
            }
            return
        }
        var dedups: [WriteSet.DedupWrite] = []
        var oldest: Place?
        let newest = instance?.newest ?? 0
        for place in places {
            let record = try blocks[place.block].record(at: place.sequence, isForRedo: true)
            if let key = record.dedup, let entry = record.dedupEntry {
                dedups.append(WriteSet.DedupWrite(number: number, key: key, entry: entry))
                oldest = oldest ?? place
            }
            if instance != nil, place.sequence > newest {
                try instance?.redo(record)
                steps += 1
                oldest = oldest ?? place
            }
        }
        guard let oldest else { return }
        let isBehind = instance.map { $0.newest > newest } ?? false
        pending.restore(
            isBehind ? instance : nil, dedups, of: number,
            since: RedoPoint(step: oldest.sequence - 1, byte: starts[oldest.block]))
    }
}
