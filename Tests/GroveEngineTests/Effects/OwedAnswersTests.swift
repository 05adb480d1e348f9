import Testing

@testable import GroveEngine

@Suite("OwedAnswers")
struct OwedAnswersTests {
    private func answer(_ token: UInt32, bytes: Int = 0) -> Ready.ReplyTo {
        let bytes = [UInt8](repeating: 32, count: bytes)
        return Ready.ReplyTo(
            connection: ConnectionID(1), token: token,
            reply: .backup(.chunk("copy", offset: 0, bytes)))
    }

    @Test func `a turn gives so many answers, in their order`() {
        var owed = OwedAnswers()
        let count = Limits.waitersAnsweredMax + 3
        for token in 0..<count { owed.append(answer(UInt32(token))) }
        #expect(
            owed.removeTurn().map(\.token) == (0..<UInt32(Limits.waitersAnsweredMax)).map { $0 })
        #expect(!owed.isEmpty)
        #expect(owed.removeTurn().map(\.token) == [512, 513, 514])
        #expect(owed.isEmpty && owed.removeTurn().isEmpty)
    }

    @Test func `a turn gives no more bytes of states than a page, but one answer at least`() {
        var owed = OwedAnswers()
        for token in 0..<3 { owed.append(answer(UInt32(token), bytes: Limits.pageBytesMax)) }
        #expect(owed.removeTurn().map(\.token) == [0])
        owed.append(answer(3))
        #expect(owed.removeTurn().map(\.token) == [1])
        #expect(owed.removeTurn().map(\.token) == [2])
        #expect(owed.removeTurn().map(\.token) == [3])
        #expect(owed.isEmpty)
    }
}
