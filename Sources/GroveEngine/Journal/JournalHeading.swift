/// The first fields of a stored step: its machine and its time. Decoded alone when thousands of
/// steps are searched for these.
public struct JournalHeading: Sendable, Equatable {
    public let kind: JournalRecord.Kind
    /// The machine of the instance; empty for `.erased`.
    public let machine: String
    /// The time of the step; 1970 for `.erased`.
    public let at: Timestamp

    /// Decodes the number of a record's instance, whether it changes effects, and whether it has a
    /// dedup key; `nil` for an erased step, and for one without an instance.
    ///
    /// - Throws: `.corrupt` when the bytes aren't the beginning of a record.
    public static func instance(
        decoding bytes: UnsafeRawBufferPointer
    ) throws(StoreError) -> (number: InstanceNumber, changesEffects: Bool, hasDedup: Bool)? {
        var reader = ByteReader(bytes)
        let first = try JournalRecord.Beginning(&reader).first
        guard let kind = JournalRecord.kind(inFirst: first) else {
            throw .corrupt("a journal step is of no known kind")
        }
        guard kind != .erased else { return nil }
        let flags = try reader.byte()
        let number = InstanceNumber(try reader.integer())
        guard number.value > 0 else { return nil }
        return (number, JournalRecord.changesEffects(flags), JournalRecord.hasDedup(flags))
    }

    /// Decodes the beginning of a record (``JournalRecord/encode(into:)``).
    ///
    /// - Throws: `.corrupt` when it isn't one; the rest isn't checked.
    public init(decoding bytes: UnsafeRawBufferPointer) throws(StoreError) {
        var reader = ByteReader(bytes)
        let first = try JournalRecord.Beginning(&reader).first
        guard let kind = JournalRecord.kind(inFirst: first) else {
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
