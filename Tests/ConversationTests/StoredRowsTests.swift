import Foundation
import GroveEngine
import GroveTestSupport
import Testing

/// Compares the bytes that a server stores during the golden conversations with a file of the
/// release that first wrote them: stored data stays readable because its form doesn't change by
/// accident. The conversation of a new op isn't in the file yet: no release has stored its bytes.
@Suite("stored rows")
struct StoredRowsTests {
    private static let url = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("Data/stored-rows.txt")

    @Test func `the golden conversations store the same bytes as before`() throws {
        var text =
            """
            # What the golden conversations store (StoredRowsTests): per conversation, digests of
            # all journal steps, snapshots and dedup records, and each row of an effect.

            """
        let expected = try String(contentsOf: Self.url, encoding: .utf8)
        // Conversations over a data file have their own test.
        for name in try GoldenFolder.names() where !name.hasPrefix("topics/earlier") {
            let isNewOp = name.hasPrefix("ops/") && !expected.contains("\n== \(name)\n")
            if isNewOp && !GoldenFolder.isUpdating { continue }
            let player = ConversationPlayer(try GoldenFolder.read(name))
            let rows = RowRecorder()
            player.store.rows = rows
            try player.play()
            text += "\n== \(name)\n\(rows.text)"
        }
        if GoldenFolder.isUpdating {
            try text.write(to: Self.url, atomically: true, encoding: .utf8)
            return
        }
        if text != expected {
            let difference = Difference.of(
                expected: expected.components(separatedBy: "\n"),
                actual: text.components(separatedBy: "\n"))
            Issue.record("other bytes are stored (- is the file, + is the engine):\n\(difference)")
        }
    }
}

/// Writes down what is committed.
final class RowRecorder {
    private var journal = Digest()
    private var snapshots = Digest()
    private var dedups = Digest()
    private var effects: [String] = []

    /// The commits so far.
    var text: String {
        "journal \(journal), snapshots \(snapshots), dedups \(dedups)\n"
            + effects.map { $0 + "\n" }.joined()
    }

    /// Adds the rows of one commit.
    func record(_ writes: WriteSet) throws(StoreError) {
        journal.add(writes.journal)
        for instance in writes.instances {
            snapshots.add(writes.snapshots[instance.name])
            snapshots.add(writes.snapshots[instance.snapshot])
        }
        for dedup in writes.dedups {
            let entry = dedup.entry
            dedups.add(dedup.key)
            dedups.add("\(entry.hashHigh) \(entry.hashLow) \(entry.version)".utf8)
            dedups.add("\(entry.sequence) \(entry.changed) \(entry.done)".utf8)
        }
        for effect in writes.effects {
            let ref = "\(effect.ref.instance.value).\(effect.ref.number)"
            guard let row = effect.row else {
                effects.append("\(ref) removed")
                continue
            }
            let due = row.due.map { "\($0.milliseconds)" } ?? "-"
            let body = String(decoding: try row.encodedBody(), as: UTF8.self)
            let lane = row.handlerQueue?.replacingOccurrences(of: "\n", with: "\\n") ?? "-"
            effects.append("\(ref) \(due) \(lane) \(body)")
        }
    }

    /// FNV-1a over bytes, and how many there were.
    private struct Digest: CustomStringConvertible {
        private var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        private var count = 0

        var description: String { "\(count) bytes \(String(hash, radix: 16))" }

        mutating func add(_ bytes: some Sequence<UInt8>) {
            for byte in bytes {
                hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3
                count += 1
            }
        }
    }
}
