import GroveEngine

/// The most recently read journal blocks. Catch-up reads one block step by step, and history walks
/// backwards through blocks it has just read. Bounded by count and by bytes.
struct BlockCache {
    /// The most recently used last.
    private var blocks: [JournalBlock] = []
    private var bytes = 0

    /// Returns the block that holds a step, or `nil` when it isn't cached.
    mutating func block(holding sequence: JournalPosition) -> JournalBlock? {
        guard
            let index = blocks.lastIndex(where: { $0.first <= sequence && sequence < $0.end })
        else { return nil }
        if index == blocks.count - 1 { return blocks[index] }
        let block = blocks.remove(at: index)
        blocks.append(block)
        return block
    }

    /// Stores a block, unless it alone is too large. Drops the least recently used ones.
    mutating func keep(_ block: JournalBlock) {
        guard block.bytes.count <= StoreLimits.cachedBytesMax / 4 else { return }
        blocks.append(block)
        bytes += block.bytes.count
        while blocks.count > StoreLimits.cachedBlocksMax || bytes > StoreLimits.cachedBytesMax {
            bytes -= blocks.removeFirst().bytes.count
        }
    }

    /// Removes all blocks, because steps were erased.
    mutating func removeAll() {
        blocks = []
        bytes = 0
    }
}
