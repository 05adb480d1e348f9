import GroveEngine

/// A decoded row of `journal`: up to about a page of consecutive steps of one commit.
///
/// Each step is stored as its length in LEB128 and its bytes (`docs/internals/data-file.md`).
struct JournalBlock {
    let first: JournalPosition

    /// The steps with their lengths, inflated.
    let bytes: [UInt8]

    /// The range of each step in `bytes`, without its length.
    let steps: [Range<Int>]

    /// The checksum of the bytes as they were first written.
    let link: UInt32

    /// The checksum over all links up to this one.
    let chain: UInt32

    /// Bytes of the steps as they are stored, compressed or not.
    let storedBytes: Int

    /// The position after its last step.
    var end: JournalPosition { first + Int64(steps.count) }

    /// Splits the bytes into steps.
    ///
    /// - Throws: `.corrupt` when they are not exactly `count` steps.
    init(
        first: JournalPosition, count: Int64, bytes: [UInt8], link: UInt32, chain: UInt32,
        storedBytes: Int? = nil
    ) throws(StoreError) {
        guard count > 0 else {
            throw .corrupt("the journal block at \(first) has \(count) steps")
        }
        var steps: [Range<Int>] = []
        steps.reserveCapacity(Int(min(count, Int64(bytes.count))))
        var isWhole = true
        bytes.withUnsafeBytes { isWhole = JournalBlock.split($0, into: &steps) }
        guard isWhole, steps.count == count else {
            throw .corrupt("the journal block at \(first) is not made of \(count) steps")
        }
        self.first = first
        self.bytes = bytes
        self.steps = steps
        self.link = link
        self.chain = chain
        self.storedBytes = storedBytes ?? bytes.count
    }

    private static func split(
        _ bytes: UnsafeRawBufferPointer, into steps: inout [Range<Int>]
    ) -> Bool {
        var position = 0
        while position < bytes.count {
            var length = 0
            var shift = 0
            var isLast = false
            while !isLast {
                guard position < bytes.count, shift <= 28 else { return false }
                length |= Int(bytes[position] & 0x7F) << shift
                isLast = bytes[position] < 0x80
                shift += 7
                position += 1
            }
            guard length > 0, length <= bytes.count - position else { return false }
            steps.append(position..<(position + length))
            position += length
        }
        return true
    }

    /// Decodes one step; `sequence` must be within `first ..< end`.
    ///
    /// - Parameter isForRedo: See ``JournalRecord/init(decoding:sequence:isForRedo:)``.
    func record(
        at sequence: JournalPosition, isForRedo: Bool = false
    ) throws(StoreError) -> JournalRecord {
        try bytes.read(steps[Int(sequence - first)]) { bytes throws(StoreError) in
            try JournalRecord(decoding: bytes, sequence: sequence, isForRedo: isForRedo)
        }
    }

    /// Verifies that the block is the one after another.
    ///
    /// - Throws: `.corrupt` when it isn't.
    func verify(follows previous: JournalBlock) throws(StoreError) {
        let expected = JournalBlock.chain(
            after: previous.chain, link: link, first: first, count: Int64(steps.count))
        guard first == previous.end, chain == expected else {
            throw .corrupt("the journal block at \(first) does not follow the one before")
        }
    }

    /// Returns the chain value of a block from that of the block before it.
    static func chain(
        after previous: UInt32, link: UInt32, first: JournalPosition, count: Int64
    ) -> UInt32 {
        var checksum = Checksum()
        checksum.add(Int64(previous), Int64(link))
        checksum.add(first, count)
        return checksum.value
    }
}
