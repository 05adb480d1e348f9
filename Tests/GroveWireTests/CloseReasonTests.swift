import Testing

@testable import GroveWire

@Suite("CloseReason")
struct CloseReasonTests {
    @Test func `reasons are snake_case words`() {
        for reason in CloseReason.allCases {
            #expect(reason.rawValue.wholeMatch(of: /[a-z]+(_[a-z]+)*/) != nil)
        }
    }
}
