import GroveTestSupport
import OrderedJSON
import Testing
import Transducers

@testable import GroveEngine

/// Rows of effects in journal records.
@Suite("Journaled effects")
struct JournaledEffectsTests {
    private static let at = Timestamp(milliseconds: 1_790_000_000_000)
    private static let ref = EffectRef(instance: InstanceNumber(7), number: 3)

    private func row(
        _ run: HostedRun, queue: String? = "pay", phase: StoredEffect.Phase = .active,
        _ change: (inout StoredEffect.Body) -> Void = { _ in }
    ) -> StoredEffect {
        var body = StoredEffect.Body(owner: "m/a", phase: phase, run: run, asked: Self.at)
        body.begun = Self.at.milliseconds
        body.log = "0123456789abcdef"
        change(&body)
        return StoredEffect(ref: Self.ref, handlerQueue: queue, body: body)
    }

    private var plain: HostedRun {
        HostedRun(
            key: HostedKey(id: "n"), work: .perform(handler: "pay", argument: .integer(1)),
            then: "done")
    }

    private func rows() throws -> [StoredEffect] {
        var full = plain
        full.key.scopes = ["a", "b/ü"]
        full.policy = .keepOldest
        full.rank = 9
        full.then = nil
        full.timeout = 5
        full.undo = HostedRun.Undo(handler: "unpay", argument: .string("ü"))
        full.retry = RetryPolicy(attemptsMax: 3, factor: 1.25, jitter: 0.1, totalMax: .seconds(9))
        let argument: JSONValue = .object(["x": .array([.null, .double(0.5)])])
        full.work = .perform(handler: "pay", argument: argument)
        var queued = plain
        let text =
            #"{"name":"q","maxCount":1,"overflow":"suspend_new","spacing":0,"spacingRange":0}"#
        let document = try JSONDocument(parsing: Array(text.utf8))
        queued.queue = try JSONCoding.decode(HostedQueue.self, from: document, at: document.root)
        var unnamed = plain
        unnamed.key.id = nil
        unnamed.timeout = -1
        var typed = plain
        typed.key.types = ["Shop.ReminderID"]
        let closure = HostedRun(key: HostedKey(id: nil), work: .closure(token: 5))
        return [
            row(plain), row(full), row(queued, queue: nil, phase: .waiting), row(unnamed),
            row(typed),
            row(plain, queue: "pay\nhost"), row(closure, queue: "(closure)"),
            row(plain, queue: nil, phase: .waiting) { $0.begun = nil },
            row(plain) {
                $0.asked = 1
                $0.begun = 2
                $0.failures = 3
                $0.delivered = 4
                $0.request = "key"
                $0.log = nil
            },
            row(plain) { $0.asked = -4 }, row(plain) { $0.begun = -4 },
            row(plain) { $0.reason = "slow" }, row(plain) { $0.parent = 2 },
            row(plain) { $0.isFinal = true }, row(plain) { $0.trace = "00-1f-2e-01" },
        ]
    }

    private func record(_ changes: [JournaledEffects.Change]) throws -> JournalRecord {
        var record = JournalRecord(sequence: 5, kind: .step)
        record.number = Self.ref.instance
        record.name = InstanceName("m/a")
        record.at = Self.at
        record.effects = [Array("{}".utf8)]
        var journaled = JournaledEffects(lastNumber: 9, count: 2)
        journaled.changes = changes
        var bytes: [UInt8] = []
        try journaled.encode(into: &bytes, at: Self.at)
        record.effectRows = bytes
        return record
    }

    @Test func `every row that can be journaled is read back`() throws {
        for (index, row) in try rows().enumerated() {
            #expect(row.canBeJournaled)
            let record = try record([.init(ref: Self.ref, row: row)])
            let decoded = try JournaledEffects(
                decoding: try #require(record.effectRows), of: record)
            #expect(try decoded.encoded.map { try $0.row(of: "m/a") } == [row], "row \(index)")
            #expect(decoded.lastNumber == 9 && decoded.count == 2)
        }
        let bytes = try #require(try record([.init(ref: Self.ref, row: row(plain))]).effectRows)
        #expect(bytes.count < 60, "a frequent row is short")
    }

    @Test func `rows with a time, an outcome or many bytes are written with their commit`() {
        var due = row(plain)
        due.due = Self.at
        #expect(!due.canBeJournaled)
        for phase in [StoredEffect.Phase.sleeping, .asking, .failed, .completed, .child] {
            #expect(!row(plain, phase: phase).canBeJournaled)
        }
        var large = plain
        large.work = .perform(
            handler: "pay", argument: .string(String(repeating: "a", count: 4_000)))
        #expect(!row(large).canBeJournaled)
    }

    @Test func `the bytes of a row are counted again after a change`() {
        var counted = row(plain)
        counted.weigh()
        #expect(counted == row(plain) && counted.weight == row(plain).weight)
        counted.body.run?.work = .perform(
            handler: "pay", argument: .string(String(repeating: "a", count: 500)))
        #expect(counted.weight > row(plain).weight + 400)
    }

    @Test func `damaged bytes are refused, and none of them traps`() throws {
        let good = try record([
            .init(ref: Self.ref, row: try rows()[1]),
            .init(ref: EffectRef(instance: InstanceNumber(7), number: 4), row: nil),
        ])
        let bytes = try #require(good.effectRows)
        for length in 0..<bytes.count {
            #expect(throws: StoreError.self) {
                try JournaledEffects(decoding: Array(bytes[..<length]), of: good)
            }
        }
        #expect(throws: StoreError.self) { try JournaledEffects(decoding: bytes + [0], of: good) }
        for place in bytes.indices {
            for value: UInt8 in [0, 0x7F, 0x80, 0xFF] {
                var other = bytes
                other[place] = value
                if let decoded = try? JournaledEffects(decoding: other, of: good) {
                    for change in decoded.encoded { _ = try? change.row(of: "m/a") }
                }
            }
        }
    }

    @Test func `a record with rows of effects is read back, and one of before them too`() throws {
        for (rows, effects) in [([1, 2], [[0x31]]), ([3], []), (nil, [[0x31]])]
            as [([UInt8]?, [[UInt8]])]
        {
            var record = try record([])
            record.effectRows = rows
            record.effects = effects
            var bytes: [UInt8] = []
            record.encode(into: &bytes)
            let decoded = try bytes.read(0..<bytes.count) { bytes throws(StoreError) in
                #expect(try JournalHeading.instance(decoding: bytes)?.changesEffects == true)
                return try JournalRecord(decoding: bytes, sequence: 5)
            }
            #expect(decoded == record)
            #expect(record.followsFromJournal == (rows != nil))
        }
    }
}
