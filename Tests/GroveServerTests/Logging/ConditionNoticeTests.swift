import Testing

@testable import GroveServer

@Suite("ConditionNotice")
struct ConditionNoticeTests {
    @Test func `a change is reported at once, one back and forth when it has lasted`() {
        var notice = ConditionNotice()
        #expect(notice.update(false, at: 0) == nil)
        #expect(notice.update(true, at: 1_000) == true)
        #expect(notice.update(true, at: 2_000) == nil)
        #expect(notice.update(false, at: 3_000) == false)
        for now: Int64 in 4_000..<5_000 {
            #expect(notice.update(now.isMultiple(of: 2), at: now) == nil)
        }
        #expect(notice.update(true, at: 11_000) == true)
        #expect(notice.update(false, at: 12_999) == nil)
        #expect(notice.update(false, at: 13_000) == false)
    }
}
