import GroveProtocol
import GroveTestSupport
import Testing

@Suite("golden conversations")
struct GoldenTests {
    // A folder that can't be read has no names, and the test of the ops and codes misses them.
    static let names = (try? GoldenFolder.names()) ?? []

    @Test(arguments: names)
    func `the server answers byte by byte as written`(name: String) throws {
        let conversation = try GoldenFolder.read(name)
        let player = ConversationPlayer(conversation)
        try player.play()
        let actual = player.transcript.joined(separator: "\n") + "\n"
        if GoldenFolder.isUpdating {
            try GoldenFolder.write(actual, to: name)
        } else if actual != conversation.text {
            let difference = Difference.of(
                expected: conversation.text.split(
                    separator: "\n", omittingEmptySubsequences: false
                ).dropLast().map(String.init), actual: player.transcript)
            Issue.record(
                """
                \(name).txt differs (- is the file, + is the server):
                \(difference)
                If the server is right: UPDATE_GOLDEN=1 swift test --filter ConversationTests
                """)
        }
    }

    @Test(arguments: names)
    func `it doesn't matter where the network cuts the bytes`(name: String) throws {
        let conversation = try GoldenFolder.read(name)
        let whole = ConversationPlayer(conversation)
        try whole.play()
        for cut in 1...ConversationPlayer.pieceBytes {
            let player = ConversationPlayer(conversation, .init(cut: cut))
            try player.play()
            guard player.received == whole.received, player.transcript == whole.transcript else {
                Issue.record("\(name): another answer when blocks are cut from byte \(cut) on")
                return
            }
        }
    }

    @Test(arguments: names)
    func `it doesn't matter whether lines come one by one or all at once`(name: String) throws {
        let conversation = try GoldenFolder.read(name)
        let single = ConversationPlayer(conversation, .init(isTimeless: true))
        let merged = ConversationPlayer(conversation, .init(isMerged: true, isTimeless: true))
        try single.play()
        try merged.play()
        for (client, bytes) in single.received {
            #expect(
                lines(bytes) == lines(merged.received[client] ?? []),
                "\(name): client \(client)")
        }
    }

    private func lines(_ bytes: [UInt8]) -> [String] {
        bytes.split(separator: 10).map { String(decoding: $0, as: UTF8.self) }
    }
}
