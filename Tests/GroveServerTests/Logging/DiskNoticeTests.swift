import Testing

@testable import GroveServer

@Suite("DiskNotice")
struct DiskNoticeTests {
    @Test func `a change is told at once, one to and fro when it has lasted`() {
        var notice = DiskNotice()
        #expect(notice.look(isFull: false, at: 0) == nil)
        #expect(notice.look(isFull: true, at: 1_000) == true)
        #expect(notice.look(isFull: true, at: 2_000) == nil)
        #expect(notice.look(isFull: false, at: 3_000) == false)
        for now: Int64 in 4_000..<5_000 {
            #expect(notice.look(isFull: now.isMultiple(of: 2), at: now) == nil)
        }
        #expect(notice.look(isFull: true, at: 11_000) == true)
        #expect(notice.look(isFull: false, at: 12_999) == nil)
        #expect(notice.look(isFull: false, at: 13_000) == false)
    }
}
