import Foundation
import GroveEngine
import GroveStorage
import GroveTestSupport
import Testing

/// A data file that an earlier release has written, as a copy in a folder of its own.
///
/// The files are in the folder `Data`, named after the release. Each was made by playing the golden
/// conversations of that release to one server after the other, and so holds
/// instances, journals and live effects of every kind. `MAKE_DATA=FILE swift test --filter
/// EarlierDataTests` makes one of the present release.
final class EarlierData {
    /// The store over the copy.
    let store: SQLiteStore

    /// The time of its last step.
    let end: Timestamp

    private let folder: TemporaryFolder

    /// Copies a file, such as `release-0.1.0`, and opens the copy.
    init(_ name: String) throws {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("Data/\(name).db")
        folder = try TemporaryFolder()
        let copy = folder.url.appendingPathComponent("grove.db")
        try FileManager.default.copyItem(at: file, to: copy)
        store = try SQLiteStore.open(path: copy.path)
        end = try store.record(at: store.head)?.at ?? Timestamp(milliseconds: 0)
    }

    deinit { try? store.close() }
}

@Suite("data of this release")
struct EarlierDataTests {
    private static let path = ProcessInfo.processInfo.environment["MAKE_DATA"]

    /// What a conversation may do whose rows are to be kept: not what changes limits, breaks the
    /// disk or ends the server.
    private static let allowed: Set<String> = [
        "handler", "advance", "tick", "connect", "set-aside", "hang-up",
    ]

    /// Leaves effects in every phase that lasts.
    private static let unfinished = """
        > {"op":"send","id":5,"to":"errands/live-3","event":"book"}
        ! handler work completed 7
        > {"op":"send","id":1,"to":"errands/live-1","event":"line"}
        > {"op":"send","id":2,"to":"errands/live-2","event":{"type":"remind","id":"r",\
        "milliseconds":3600000}}
        > {"op":"send","id":3,"to":"errands/live-2","event":{"type":"ask","id":"q",\
        "milliseconds":7200000}}
        > {"op":"send","id":4,"to":"errands/live-2","event":{"type":"delegate","id":"d"}}
        > {"op":"send","id":6,"to":"errands/live-4","event":"relay","dedup":"relay-1"}
        > {"op":"send","id":7,"to":"order/live","event":{"type":"place","total":30}}
        > {"op":"send","id":8,"to":"order/live","event":{"type":"charge",\
        "url":"https://pay.example"}}
        > {"op":"suspend","id":9,"to":"errands/live-2","reason":"a rehearsal"}

        """

    @Test func `a data file is made of the golden conversations`() throws {
        let folder = try TemporaryFolder()
        let path = folder.path("grove.db")
        var conversations: [Conversation] = []
        // Timers that restart would be most of the file.
        for name in try GoldenFolder.names() where name != "topics/periodic" {
            let conversation = try GoldenFolder.read(name)
            let isPlayable = conversation.steps.allSatisfy { step in
                if case .directive(let words) = step {
                    Self.allowed.contains(words[0])
                } else {
                    true
                }
            }
            if isPlayable { conversations.append(conversation) }
        }
        conversations.append(try Conversation(name: "unfinished", text: Self.unfinished))
        for (minutes, conversation) in conversations.enumerated() {
            let store = try SQLiteStore.open(path: path)
            let player = ConversationPlayer(
                conversation, store: ConversationStore(base: store), minutes: Int64(minutes))
            // On data of other conversations some of it can't be played to its end.
            do { try player.play() } catch is TestProblem {}
            try store.close()
        }
        let store = try SQLiteStore.open(path: path)
        #expect(store.head > 200)
        #expect(
            try phases(store) == [
                "active", "asking", "child", "completed", "failed", "sleeping", "waiting",
            ])
        try store.close()
        if let kept = Self.path {
            try FileManager.default.copyItem(atPath: path, toPath: kept)
        }
    }

    private func phases(_ store: SQLiteStore) throws -> Set<String> {
        var phases: Set<String> = []
        var page = try store.effects(after: nil, limit: 100)
        while let last = page.last {
            for effect in page { phases.insert(effect.body.phase.rawValue) }
            page = try store.effects(after: last.ref, limit: 100)
        }
        return phases
    }
}
