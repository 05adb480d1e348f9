import GroveEngine

/// The SQL of `journal`: blocks of steps. Blocks are appended, read by position, and rewritten when
/// steps in them are erased.
final class JournalTable {
    private let insert: Statement
    private let find: Statement
    private let findFirst: Statement
    private let rewrite: Statement
    private let remove: Statement
    private let connection: SQLiteConnection

    init(_ connection: SQLiteConnection) throws(SQLiteFailure) {
        self.connection = connection
        insert = try connection.prepare(
            """
            INSERT INTO journal (first, count, size, steps, crc, link, chain)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
            """)
        find = try connection.prepare(
            """
            SELECT first, count, size, steps, crc, link, chain FROM journal
            WHERE first <= ?1 ORDER BY first DESC LIMIT 1
            """)
        findFirst = try connection.prepare(
            "SELECT first FROM journal WHERE first > ?1 ORDER BY first LIMIT 1")
        rewrite = try connection.prepare(
            "UPDATE journal SET size = ?2, steps = ?3, crc = ?4 WHERE first = ?1")
        remove = try connection.prepare("DELETE FROM journal WHERE first < ?1")
    }

    /// Returns the checksum of a row; `content` is the checksum of its stored bytes.
    private static func checksum(
        content: Checksum, first: JournalPosition, count: Int64, size: Int64, link: UInt32,
        chain: UInt32
    ) -> UInt32 {
        var checksum = content
        checksum.add(first, count)
        checksum.add(size, Int64(link) << 32 | Int64(chain))
        return checksum.value
    }

    /// Appends one block and returns its chain value.
    func append(
        first: JournalPosition, count: Int64, stored: UnsafeRawBufferPointer, size: Int64,
        chainedTo previous: UInt32
    ) throws(SQLiteFailure) -> UInt32 {
        var content = Checksum()
        content.add(stored)
        let link = content.value
        let chain = JournalBlock.chain(after: previous, link: link, first: first, count: count)
        insert.bind(1, first)
        insert.bind(2, count)
        insert.bind(3, size)
        try insert.bind(4, blob: stored)
        insert.bind(
            5,
            JournalTable.checksum(
                content: content, first: first, count: count, size: size, link: link,
                chain: chain))
        insert.bind(6, link)
        insert.bind(7, chain)
        try insert.run()
        return chain
    }

    /// Replaces the steps of a block; its link and chain stay.
    func rewrite(
        _ block: JournalBlock, stored: UnsafeRawBufferPointer, size: Int64
    ) throws(SQLiteFailure) {
        var content = Checksum()
        content.add(stored)
        rewrite.bind(1, block.first)
        rewrite.bind(2, size)
        try rewrite.bind(3, blob: stored)
        rewrite.bind(
            4,
            JournalTable.checksum(
                content: content, first: block.first, count: Int64(block.steps.count),
                size: size, link: block.link, chain: block.chain))
        try rewrite.run()
    }

    /// Returns the block that holds a step, or the last one before it; `nil` when there is none.
    ///
    /// - Throws: `.corrupt` when it does not match its checksum.
    func block(atOrBefore sequence: JournalPosition) throws(StoreError) -> JournalBlock? {
        find.bind(1, sequence)
        guard try find.row() else { return nil }
        defer { find.reset() }
        let (first, count, size) = (find.integer(0), find.integer(1), find.integer(2))
        let stored = find.bytes(3)
        var content = Checksum()
        content.add(stored)
        let link = UInt32(truncatingIfNeeded: find.integer(5))
        let chain = UInt32(truncatingIfNeeded: find.integer(6))
        let expected = JournalTable.checksum(
            content: content, first: first, count: count, size: size, link: link, chain: chain)
        guard Int64(expected) == find.integer(4) else {
            throw .corrupt("the journal block at \(first) does not match its checksum")
        }
        let bytes = size == 0 ? Array(stored) : try Deflate.inflate(stored, size: size)
        return try JournalBlock(
            first: first, count: count, bytes: bytes, link: link, chain: chain,
            storedBytes: stored.count)
    }

    /// Removes the blocks that begin before a step. There must be `count` of them.
    func remove(before first: JournalPosition, count: Int) throws(SQLiteFailure) {
        remove.bind(1, first)
        try remove.run()
        guard connection.changes == count else {
            throw .corrupt(
                "\(connection.changes) journal blocks instead of \(count) are before "
                    + "step \(first)")
        }
    }

    /// Returns the stored bytes of all blocks that begin after a step.
    static func bytes(
        after sequence: JournalPosition, _ connection: SQLiteConnection
    ) throws(SQLiteFailure) -> Int64 {
        let sum = try connection.prepare(
            "SELECT coalesce(sum(length(steps)), 0) FROM journal WHERE first > ?1")
        sum.bind(1, sequence)
        defer { sum.reset() }
        return try sum.step() ? sum.integer(0) : 0
    }

    /// Returns whether the stored bytes of a block are still those of its link: true until steps in
    /// it are erased.
    func isAsFirstWritten(_ block: JournalBlock) throws(StoreError) -> Bool {
        find.bind(1, block.first)
        guard try find.row() else { return false }
        defer { find.reset() }
        var content = Checksum()
        content.add(find.bytes(3))
        return content.value == block.link
    }

    /// Returns the first step of the first block that begins after `sequence`, or `nil`.
    func firstHeld(after sequence: JournalPosition) throws(StoreError) -> JournalPosition? {
        findFirst.bind(1, sequence)
        guard try findFirst.row() else { return nil }
        defer { findFirst.reset() }
        return findFirst.integer(0)
    }
}
