import GroveEngine

/// Splits the encoded steps of a commit into blocks. Its buffer is reused.
struct BlockWriter {
    private var bytes: [UInt8] = []

    /// Calls `body` for every block of a commit, with the position of its first step, its number
    /// of steps and its bytes. A step longer than a block becomes a separate block.
    mutating func forEachBlock<Failure>(
        _ writes: WriteSet, bytesMax: Int,
        _ body: (JournalPosition, Int64, UnsafeRawBufferPointer) throws(Failure) -> Void
    ) throws(Failure) {
        bytes.removeAll(keepingCapacity: true)
        var first = writes.firstSequence
        var count: Int64 = 0
        var start = 0
        for end in writes.journalEnds {
            let length = end - start
            if count > 0, bytes.count + length + 5 > bytesMax {
                try flush(first, count, body)
                first += count
                count = 0
            }
            ByteCoding.append(UInt64(length), to: &bytes)
            bytes.append(contentsOf: writes.journal[start..<end])
            count += 1
            start = end
        }
        if count > 0 { try flush(first, count, body) }
        if bytes.capacity > StoreLimits.writerBytesMax { bytes = [] }
    }

    private mutating func flush<Failure>(
        _ first: JournalPosition, _ count: Int64,
        _ body: (JournalPosition, Int64, UnsafeRawBufferPointer) throws(Failure) -> Void
    ) throws(Failure) {
        try bytes.withUnsafeBufferPointer { (buffer) throws(Failure) in
            try body(first, count, UnsafeRawBufferPointer(buffer))
        }
        bytes.removeAll(keepingCapacity: true)
    }
}
