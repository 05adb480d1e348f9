import Testing

@testable import GroveEngine

@Suite("Answers in turns")
struct AnswerTurnTests {
    private func answer(_ token: UInt32, bytes: Int = 0) -> Ready.ReplyTo {
        let bytes = [UInt8](repeating: 32, count: bytes)
        return Ready.ReplyTo(
            connection: ConnectionID(1), token: token,
            reply: .backup(.chunk("copy", offset: 0, bytes)))
    }

    @Test func `a turn has a maximum of answers, in their order`() {
        var owed = WaitingQueue<Ready.ReplyTo>()
        let count = Limits.waitersAnsweredMax + 3
        for token in 0..<count { owed.append(answer(UInt32(token))) }
        #expect(
            owed.nextTurn().map(\.token) == (0..<UInt32(Limits.waitersAnsweredMax)).map { $0 })
        #expect(owed.count > 0)
        #expect(owed.nextTurn().map(\.token) == [512, 513, 514])
        #expect(owed.count == 0 && owed.nextTurn().isEmpty)
    }

    @Test func `a turn has at most a page of states, but at least one answer`() {
        var owed = WaitingQueue<Ready.ReplyTo>()
        for token in 0..<3 { owed.append(answer(UInt32(token), bytes: Limits.pageBytesMax)) }
        #expect(owed.nextTurn().map(\.token) == [0])
        owed.append(answer(3))
        #expect(owed.nextTurn().map(\.token) == [1])
        #expect(owed.nextTurn().map(\.token) == [2])
        #expect(owed.nextTurn().map(\.token) == [3])
        #expect(owed.count == 0)
    }
}
