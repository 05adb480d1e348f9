import GroveEngine

/// The journal blocks read last: catch-up reads step after step of one block, history walks
/// backwards through blocks it has just seen. Bounded by count and by bytes.
struct BlockCache {
    private static let blocksMax = 16
    private static let bytesMax = 1 << 20

    /// Newest use last.
    private var blocks: [JournalBlock] = []
    private var bytes = 0

    /// The block that holds a step, if it is here.
    mutating func block(holding sequence: JournalPosition) -> JournalBlock? {
        guard
            let place = blocks.lastIndex(where: { $0.first <= sequence && sequence < $0.end })
        else { return nil }
        if place == blocks.count - 1 { return blocks[place] }
        let block = blocks.remove(at: place)
        blocks.append(block)
        return block
    }

    /// Keeps a block, unless it alone is too large; drops those unused longest.
    mutating func keep(_ block: JournalBlock) {
        guard block.bytes.count <= BlockCache.bytesMax / 4 else { return }
        blocks.append(block)
        bytes += block.bytes.count
        while blocks.count > BlockCache.blocksMax || bytes > BlockCache.bytesMax {
            bytes -= blocks.removeFirst().bytes.count
        }
    }

    /// Forgets all of them: steps were erased.
    mutating func clear() {
        blocks = []
        bytes = 0
    }
}
