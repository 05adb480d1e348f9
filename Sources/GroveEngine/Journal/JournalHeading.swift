/// What a stored step says at its begin: of which machine it is and when it was taken. Read alone
/// where thousands of steps are looked through for these two.
public struct JournalHeading: Sendable, Equatable {
    /// What happened.
    public let kind: JournalRecord.Kind
    /// The machine of the instance; empty for `.erased`.
    public let machine: String
    /// When the step was taken; 1970 for `.erased`.
    public let at: Timestamp

    /// Reads the begin of a record's bytes (``JournalRecord/encode(into:)``).
    ///
    /// - Throws: `.corrupt` when they are no record; what follows the heading isn't looked at.
    public init(decoding bytes: UnsafeRawBufferPointer) throws(StoreError) {
        var reader = ByteReader(bytes)
        guard let kind = JournalRecord.kind(inFirst: try reader.byte()) else {
            throw .corrupt("a journal step is of no known kind")
        }
        self.kind = kind
        guard kind != .erased else {
            machine = ""
            at = Timestamp(milliseconds: 0)
            return
        }
        _ = try reader.byte()
        _ = try reader.integer()
        let name = try reader.span()
        guard let slash = name.firstIndex(of: UInt8(ascii: "/")) else {
            throw .corrupt("a journal step has no valid name")
        }
        machine = String(decoding: name[..<slash], as: UTF8.self)
        _ = try reader.integer()
        at = Timestamp(milliseconds: try reader.integer())
    }
}
