import GroveEngine
import GroveTestSupport
import Testing

/// The beginning of a record, read without the rest.
@Suite("journal headings")
struct JournalHeadingTests {
    private func heading(_ bytes: [UInt8]) throws(StoreError) -> JournalHeading {
        let result = bytes.withUnsafeBytes { bytes -> Result<JournalHeading, StoreError> in
            do throws(StoreError) { return .success(try JournalHeading(decoding: bytes)) } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }

    private func record(_ kind: JournalRecord.Kind) -> JournalRecord {
        var record = JournalRecord(sequence: 1_000, kind: kind)
        record.number = InstanceNumber(300)
        record.name = InstanceName("sensor-2.b/room:1")
        record.version = 70_000
        record.at = Timestamp(milliseconds: 1_763_692_800_123)
        record.previous = 900
        record.state = Array(#"{"a":1}"#.utf8)
        record.event = [0x31]
        return record
    }

    @Test(arguments: [
        JournalRecord.Kind.created, .step, .stopped, .effect, .deleted, .suspended, .resumed,
        .setAside,
    ])
    func `the heading of every kind agrees with the whole record`(kind: JournalRecord.Kind) throws {
        for hasBase in [false, true] where !hasBase || kind == .step {
            var record = record(kind)
            if hasBase { record.base = JournalRecord.Base(state: [1], at: record.at) }
            if kind == .effect { record.beforeEffects = 800 }
            if kind == .created || kind == .step { record.definitionVersion = "1.2" }
            var bytes: [UInt8] = []
            record.encode(into: &bytes)
            let heading = try heading(bytes)
            #expect(heading.kind == kind && heading.at == record.at)
            #expect(heading.machine == "sensor-2.b")
        }
    }

    @Test func `an erased step belongs to no instance`() throws {
        let heading = try heading([JournalRecord.Kind.erased.rawValue])
        #expect(heading.kind == .erased && heading.machine.isEmpty)
        #expect(heading.at == Timestamp(milliseconds: 0))
    }

    @Test func `other bytes are corrupt, wherever they end`() throws {
        var bytes: [UInt8] = []
        record(.step).encode(into: &bytes)
        // The kind, flags, number, name, version and time.
        let length = 1 + 1 + 2 + 18 + 3 + 6
        #expect(try heading(Array(bytes.prefix(length))) == heading(bytes))
        for count in 0..<length {
            #expect(throws: StoreError.self, "\(count) bytes") {
                try heading(Array(bytes.prefix(count)))
            }
        }
        #expect(throws: StoreError.self) { try heading([9, 0, 1, 3, 97, 47, 98, 0, 0]) }
        #expect(throws: StoreError.self, "no slash") {
            try heading([2, 0, 1, 3, 97, 98, 98, 0, 0])
        }
        var random = SeededRandom(seed: 1)
        for _ in 0..<2_000 {
            let noise = (0..<20).map { _ in UInt8.random(in: 0...255, using: &random) }
            do { _ = try heading(noise) } catch { #expect("\(error)".contains("corrupt")) }
        }
    }
}
