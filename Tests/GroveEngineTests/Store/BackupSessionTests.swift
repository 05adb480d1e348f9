import GroveEngine
import GroveTestSupport
import Testing

/// Copies for clients, over a store with invented copies.
@Suite("BackupSession")
struct BackupSessionTests {
    /// A copy of 300,000 bytes in three turns.
    private final class MadeUpBackup: StoreBackup {
        var progress = BackupProgress(copied: 0, pages: 3)
        var isEnded = false
        var stepError: StoreError?
        var readError: StoreError?

        func step() throws(StoreError) {
            if let stepError { throw stepError }
            progress.copied += 1
            if progress.copied == 3 { progress.bytes = 300_000 }
        }

        func read(at offset: Int64, count: Int) throws(StoreError) -> [UInt8] {
            if let readError { throw readError }
            let all = 300_000 - offset
            return [UInt8](repeating: UInt8(offset % 251), count: min(count, Int(all)))
        }

        func end() { isEnded = true }
    }

    private final class CopiedStore: ForwardingStore, BackupStore {
        var backups: [MadeUpBackup] = []
        var error: StoreError?

        init() { super.init(MemoryStore()) }

        func beginBackup() throws(StoreError) -> any StoreBackup {
            if let error { throw error }
            let backup = MadeUpBackup()
            backups.append(backup)
            return backup
        }
    }

    private let store = CopiedStore()
    private let one = ConnectionID(1)
    private let two = ConnectionID(2)

    private func ask(
        _ desk: inout BackupSession, _ action: BackupRequest.Action,
        from connection: ConnectionID? = nil,
        at milliseconds: Int64 = 0
    ) -> String {
        desk.answer(
            BackupRequest(action), of: connection ?? one,
            at: Timestamp(milliseconds: milliseconds), store: store
        ).summary
    }

    private func isRefused(_ answer: String) -> Bool { answer.hasPrefix("badRequest") }

    @Test func `a copy is begun, made in turns, read and ended`() {
        var desk = BackupSession()
        #expect(!desk.isCopying)
        #expect(ask(&desk, .begin).contains(#""b-1""#))
        for turn in 0..<3 {
            #expect(desk.isCopying)
            #expect(ask(&desk, .look("b-1")).contains("copied: \(turn), pages: 3, bytes: nil"))
            #expect(isRefused(ask(&desk, .read("b-1", offset: 0, count: 1))))
            desk.turn()
        }
        #expect(!desk.isCopying)
        desk.turn()
        #expect(ask(&desk, .look("b-1")).contains("copied: 3, pages: 3, bytes: Optional(300000)"))
        let answer = desk.answer(
            BackupRequest(.read("b-1", offset: 299_999, count: 1 << 30)), of: one,
            at: Timestamp(milliseconds: 0), store: store)
        guard case .backup(.chunk("b-1", offset: 299_999, let bytes)) = answer else {
            Issue.record("\(answer)")
            return
        }
        #expect(bytes == [UInt8(299_999 % 251)])
        #expect(ask(&desk, .read("b-1", offset: 300_000, count: 1)).contains("[]"))
        #expect(isRefused(ask(&desk, .read("b-1", offset: 300_001, count: 1))))
        #expect(ask(&desk, .end("b-1")) == "done")
        #expect(store.backups.map(\.isEnded) == [true])
        #expect(isRefused(ask(&desk, .look("b-1"))))
        #expect(ask(&desk, .begin).contains(#""b-2""#))
    }

    @Test func `the bytes of a chunk are bounded`() {
        var desk = BackupSession()
        _ = ask(&desk, .begin)
        for _ in 0..<3 { desk.turn() }
        let answer = desk.answer(
            BackupRequest(.read("b-1", offset: 0, count: 1 << 30)), of: one,
            at: Timestamp(milliseconds: 0), store: store)
        guard case .backup(.chunk(_, _, let bytes)) = answer else {
            Issue.record("\(answer)")
            return
        }
        #expect(bytes.count == Limits.backupChunkBytesMax)
    }

    @Test func `there is one copy at a time, for its connection only`() {
        var desk = BackupSession()
        _ = ask(&desk, .begin)
        #expect(ask(&desk, .begin, from: two) == #"busy("another backup is under way")"#)
        #expect(ask(&desk, .begin) == #"busy("another backup is under way")"#)
        for action in [.look("b-1"), .end("b-1"), .read("b-1", offset: 0, count: 1)]
            as [BackupRequest.Action]
        {
            #expect(isRefused(ask(&desk, action, from: two)))
        }
        desk.connectionClosed(two)
        #expect(desk.isCopying)
        desk.connectionClosed(one)
        #expect(!desk.isCopying && store.backups[0].isEnded)
        #expect(ask(&desk, .begin, from: two).contains(#""b-2""#))
    }

    @Test func `a failed copy is reported once, and its room is freed at once`() {
        var desk = BackupSession()
        for (error, words) in [
            (StoreError.full, "storageFull"), (.inputOutput("why"), #"storageCorrupt("why")"#),
        ] {
            _ = ask(&desk, .begin)
            store.backups.last?.stepError = error
            desk.turn()
            #expect(!desk.isCopying && store.backups.last?.isEnded == true)
            let id = "b-\(store.backups.count)"
            #expect(ask(&desk, .look(id)) == words)
            #expect(isRefused(ask(&desk, .look(id))))
        }
        store.error = .full
        #expect(ask(&desk, .begin) == "storageFull")
        store.error = nil
        _ = ask(&desk, .begin)
        for _ in 0..<3 { desk.turn() }
        store.backups.last?.readError = .inputOutput("gone")
        #expect(ask(&desk, .read("b-3", offset: 0, count: 1)) == #"storageCorrupt("gone")"#)
        #expect(store.backups.last?.isEnded == true)
    }

    @Test func `a copy without requests is removed after a minute`() {
        var desk = BackupSession()
        _ = ask(&desk, .begin, at: 0)
        desk.expire(at: Timestamp(milliseconds: 59_999))
        #expect(desk.isCopying)
        _ = ask(&desk, .look("b-1"), at: 59_999)
        desk.expire(at: Timestamp(milliseconds: 119_998))
        #expect(desk.isCopying)
        desk.expire(at: Timestamp(milliseconds: 119_999))
        #expect(!desk.isCopying && store.backups[0].isEnded)
        desk.end()
    }

    @Test func `the engine answers requests for copies after the commit before them`() throws {
        let harness = try EngineHarness()
        try harness.receive(harness.makeSend("counter/a", #""increment""#))
        try harness.receive(.backup(BackupRequest(.begin)))
        try harness.receive(.backup(BackupRequest(.begin)), from: two)
        #expect(harness.store.head == 0)
        harness.engine.connectionClosed(two)
        let ready = try harness.flush()
        #expect(harness.store.head == 2)
        #expect(ready.replies.map(\.connection) == [one, one, two])
        #expect(ready.replies[1].reply.summary.contains("in memory"))
        #expect(
            ready.replies[2].reply.summary.contains("no such backup"),
            "nothing is begun for a client that is gone")
        #expect(try harness.flush().isEmpty)
    }
}
