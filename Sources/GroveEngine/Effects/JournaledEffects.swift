/// The changes that a step makes to the rows of its instance's effects, as its journal record has
/// them: a store that hasn't written these rows makes them again from the journal.
///
/// Only changes to rows without a due time and without an outcome are journaled: work that waits
/// for a handler. All others are written with their commit.
public struct JournaledEffects: Sendable {
    /// One changed row.
    struct Change: Sendable {
        var ref: EffectRef
        /// The row after the step; `nil` if the step removed it.
        var row: StoredEffect?
    }

    /// A changed row that isn't decoded: a start decodes only the last ones.
    public struct EncodedChange: Sendable {
        public var ref: EffectRef
        /// The time of the step.
        var at: Timestamp
        /// The row; empty if the step removed it.
        var bytes: [UInt8]

        /// Decodes the row; `nil` if the step removed it.
        ///
        /// - Parameter owner: The name of the instance.
        /// - Throws: `.corrupt` for bytes that aren't a row; never traps.
        public func row(of owner: String) throws(StoreError) -> StoredEffect? {
            guard !bytes.isEmpty else { return nil }
            return try bytes.read(0..<bytes.count) { (bytes) throws(StoreError) in
                var reader = ByteReader(bytes)
                let row = try StoredEffect(
                    journaledIn: &reader, ref: ref, owner: owner, at: at)
                guard reader.isAtEnd else {
                    throw .corrupt("a journaled effect of \(owner) has bytes after its end")
                }
                return row
            }
        }

        /// Whether the step removed the row.
        public var isRemoval: Bool { bytes.isEmpty }
    }

    /// The number of the instance's newest effect, after the step.
    public var lastNumber: Int64

    /// The number of its effects with rows, after the step.
    public var count: Int64

    /// The changed rows to encode.
    var changes: [Change] = []

    /// The changed rows of a record.
    public private(set) var encoded: [EncodedChange] = []

    init(lastNumber: Int64, count: Int64) {
        self.lastNumber = lastNumber
        self.count = count
    }

    /// Decodes the changes of a record.
    ///
    /// - Throws: `.corrupt` when they aren't complete; never traps.
    init(decoding bytes: [UInt8], of record: JournalRecord) throws(StoreError) {
        lastNumber = 0
        count = 0
        try bytes.read(0..<bytes.count) { (bytes) throws(StoreError) in
            var reader = ByteReader(bytes)
            lastNumber = try reader.integer()
            count = try reader.integer()
            for _ in 0..<(try reader.integer()) {
                let ref = EffectRef(instance: record.number, number: try reader.integer())
                encoded.append(
                    EncodedChange(ref: ref, at: record.at, bytes: try reader.array()))
            }
            guard reader.isAtEnd else {
                throw .corrupt("journal step \(record.sequence) has bytes after its effects")
            }
        }
    }

    /// Appends the bytes of a record's changes.
    ///
    /// - Parameter at: The time of the step.
    /// - Throws: `.corrupt` when a row can't be written.
    func encode(into bytes: inout [UInt8], at: Timestamp) throws(StoreError) {
        ByteCoding.append(lastNumber, to: &bytes)
        ByteCoding.append(count, to: &bytes)
        ByteCoding.append(Int64(changes.count), to: &bytes)
        for change in changes {
            ByteCoding.append(change.ref.number, to: &bytes)
            let start = bytes.count
            // The length of nearly all rows has one byte, so the row is written behind that.
            bytes.append(0)
            try change.row?.appendJournaled(to: &bytes, at: at)
            let length = bytes.count - start - 1
            if length < 0x80 {
                bytes[start] = UInt8(length)
            } else {
                var prefix: [UInt8] = []
                ByteCoding.append(UInt64(length), to: &prefix)
                bytes.replaceSubrange(start...start, with: prefix)
            }
        }
    }
}
