import Testing

@testable import GroveHTTP

@Suite("AnswerEntry")
struct AnswerEntryTests {
    @Test func `a refused request has no route`() {
        let entry = AnswerEntry(
            400, of: Exchange(refused: nil), bytes: 12, milliseconds: 3)
        #expect(entry.route == nil && entry.status == 400)
        #expect(entry.bytes == 12 && entry.milliseconds == 3)
    }
}
