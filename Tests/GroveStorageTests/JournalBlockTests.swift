import GroveEngine
import GroveTestSupport
import Testing

@testable import GroveStorage

/// The bytes of journal blocks and dedup entries, decoded and encoded.
@Suite("Rows")
struct JournalBlockTests {
    private func writes(_ lengths: [Int]) -> WriteSet {
        var writes = WriteSet(firstSequence: 1)
        for (index, length) in lengths.enumerated() {
            writes.journal += Array(repeating: UInt8(index % 250), count: length)
            writes.journalEnds.append(writes.journal.count)
        }
        return writes
    }

    private func blocks(_ lengths: [Int], bytesMax: Int) throws -> [JournalBlock] {
        var writer = BlockWriter()
        var found: [JournalBlock] = []
        try writer.forEachBlock(writes(lengths), bytesMax: bytesMax) {
            (first, count, bytes) throws(StoreError) in
            found.append(
                try JournalBlock(
                    first: first, count: count, bytes: Array(bytes), link: 0, chain: 0))
        }
        return found
    }

    @Test(arguments: [-1, Int64.min, 0])
    func `a forged count of steps is damage`(count: Int64) {
        #expect(throws: StoreError.self) {
            try JournalBlock(first: 1, count: count, bytes: [1, 0], link: 0, chain: 0)
        }
    }

    @Test func `steps are split into blocks without loss`() throws {
        var random = SeededRandom(seed: 1)
        for _ in 0..<200 {
            let lengths = (0..<Int.random(in: 1...60, using: &random)).map { _ in
                Int.random(in: 1...(Bool.random(using: &random) ? 20 : 400), using: &random)
            }
            let cut = try blocks(lengths, bytesMax: 300)
            #expect(cut.flatMap { $0.steps.map(\.count) } == lengths)
            #expect(cut.first?.first == 1)
            for (one, next) in zip(cut, cut.dropFirst()) { #expect(one.end == next.first) }
            for block in cut { #expect(block.bytes.count <= 300 || block.steps.count == 1) }
        }
    }

    @Test func `a step longer than a block is a separate block`() throws {
        let cut = try blocks([10, 5_000, 10], bytesMax: 100)
        #expect(cut.map(\.steps.count) == [1, 1, 1])
    }

    @Test func `no steps make no block`() throws {
        #expect(try blocks([], bytesMax: 100).isEmpty)
    }

    @Test(
        arguments: [
            [], [0], [2, 1], [0x80], [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F, 1], [1, 1, 1],
            [0x85, 0x80, 0x80, 0x80, 0x80, 0x00, 1, 2, 3, 4, 5],
        ] as [[UInt8]])
    func `a block refuses bytes that aren't one step`(bytes: [UInt8]) {
        #expect(throws: StoreError.self) {
            try JournalBlock(first: 1, count: 1, bytes: bytes, link: 0, chain: 0)
        }
    }

    @Test func `never crashes on any bytes`() {
        var random = SeededRandom(seed: 7)
        for _ in 0..<20_000 {
            let bytes = (0..<Int.random(in: 0...40, using: &random)).map { _ in
                UInt8.random(in: 0...255, using: &random)
            }
            let count = Int64.random(in: -1...5, using: &random)
            // It is a block or not; its steps can be decoded or not.
            let block = try? JournalBlock(
                first: 5, count: count, bytes: bytes, link: 0, chain: 0)
            guard let block else { continue }
            for sequence in block.first..<block.end { _ = try? block.record(at: sequence) }
            _ = try? bytes.withUnsafeBytes { try DedupTable.decode($0) }
        }
    }

    @Test func `reads back a dedup entry`() throws {
        let written = EventHash(high: 0x0908_0706_0504_0302, low: 1)
        let flags = [(true, true), (true, false), (false, true), (false, false)]
        for ((changed, done), written) in flags.flatMap({ [($0, nil), ($0, written)] }) {
            var entry = DedupEntry(
                hashHigh: 0x0102_0304_0506_0708, hashLow: .max, version: 300, sequence: 1 << 40,
                changed: changed, done: done)
            entry.written = written
            var bytes: [UInt8] = []
            DedupTable.encode(entry, into: &bytes)
            #expect(try bytes.withUnsafeBytes { try DedupTable.decode($0) } == entry)
            #expect(bytes.prefix(8) == [8, 7, 6, 5, 4, 3, 2, 1])
            #expect(throws: StoreError.self) {
                try (bytes + [0]).withUnsafeBytes { try DedupTable.decode($0) }
            }
            for count in 0..<bytes.count {
                #expect(throws: StoreError.self) {
                    try bytes.prefix(count).withUnsafeBytes { try DedupTable.decode($0) }
                }
            }
        }
    }

    @Test func `a dedup entry with one hash is read`() throws {
        let bytes: [UInt8] = [
            8, 7, 6, 5, 4, 3, 2, 1, 255, 255, 255, 255, 255, 255, 255, 255, 1, 0xAC, 2, 7,
        ]
        let entry = try bytes.withUnsafeBytes { try DedupTable.decode($0) }
        let expected = DedupEntry(
            hashHigh: 0x0102_0304_0506_0708, hashLow: .max, version: 300, sequence: 7,
            changed: true, done: false)
        #expect(entry == expected && entry.written == nil)
    }

    @Test func `chains blocks by everything that identifies them`() {
        let chain = JournalBlock.chain(after: 1, link: 2, first: 3, count: 4)
        #expect(chain != JournalBlock.chain(after: 9, link: 2, first: 3, count: 4))
        #expect(chain != JournalBlock.chain(after: 1, link: 9, first: 3, count: 4))
        #expect(chain != JournalBlock.chain(after: 1, link: 2, first: 9, count: 4))
        #expect(chain != JournalBlock.chain(after: 1, link: 2, first: 3, count: 9))
    }

    @Test func `the checksum is zlib's CRC-32`() {
        var checksum = Checksum()
        Array("123456789".utf8).withUnsafeBytes { checksum.add($0) }
        #expect(checksum.value == 0xCBF4_3926)
        var one = Checksum()
        one.add(1)
        one.add(2)
        var both = Checksum()
        both.add(1, 2)
        #expect(one.value == both.value)
    }
}
