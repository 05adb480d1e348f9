import GroveEngine
import GroveProtocol

extension FuzzTarget {
    /// Journal rows: a decoded row that is encoded again must decode to the same value.
    static let journal = FuzzTarget(
        "journal", words: ["counter/a", "\u{0}", "{\"count\":1}", "\"increment\""],
        smokeInputs: 60_000
    ) { input in
        guard let record = input.withUnsafeBytes({ decode(record: $0) }) else { return }
        var bytes: [UInt8] = []
        record.encode(into: &bytes)
        guard bytes.withUnsafeBytes({ decode(record: $0) }) == record else {
            throw Finding("\(record) reads as something else once written")
        }
    }

    /// Snapshots: a decoded snapshot that is encoded again must decode to the same value.
    static let snapshot = FuzzTarget(
        "snapshot", words: ["1.0.0", "{\"count\":1}", "\u{0}\u{0}\u{0}"], smokeInputs: 60_000
    ) { input in
        guard let stored = input.withUnsafeBytes({ decode(snapshot: $0) }) else { return }
        var bytes: [UInt8] = []
        stored.encode(into: &bytes)
        guard bytes.withUnsafeBytes({ decode(snapshot: $0) }) == stored else {
            throw Finding("\(stored) reads as something else once written")
        }
    }

    /// Cursors: exactly the texts that the server writes are accepted.
    static let cursor = FuzzTarget(
        "cursor", words: ["AAAAAAAAAAAAAAAAAAAAAQ", "1", ".0", "0", "9223372036854775807", "-"],
        smokeInputs: 100_000
    ) { input in
        let texts = CursorText(log: LogID(high: 0, low: 1))
        guard let cursor = input.withUnsafeBytes({ texts.cursor($0) }) else { return }
        guard Array(texts.string(cursor).utf8) == input else {
            throw Finding("\(cursor) is written as \(texts.string(cursor))")
        }
    }

    private static func decode(record bytes: UnsafeRawBufferPointer) -> JournalRecord? {
        // Corrupt bytes must throw an error and do nothing worse.
        try? JournalRecord(decoding: bytes, sequence: 1_000)
    }

    private static func decode(snapshot bytes: UnsafeRawBufferPointer) -> StoredInstance? {
        guard let name = InstanceName("counter/a") else { return nil }
        // Corrupt bytes must throw an error and do nothing worse.
        return try? StoredInstance(decoding: bytes, number: InstanceNumber(1), name: name)
    }

    /// A decoder of length-prefixed bytes with an off-by-one error at the end.
    static let canary = FuzzTarget("canary", words: ["\u{4}abcd"], smokeInputs: 20_000) { input in
        guard let length = input.first, length > 3 else { return }
        let rest = input.dropFirst()
        guard Int(length) <= rest.count + 1 else { return }
        if Int(length) > rest.count { throw Finding("the planted bug: a read past the end") }
    }
}
