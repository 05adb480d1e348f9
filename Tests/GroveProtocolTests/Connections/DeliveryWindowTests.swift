import Testing

@testable import GroveProtocol

@Suite("DeliveryWindow")
struct DeliveryWindowTests {
    @Test func `a report has the weights since the beginning, and nothing is left to report`() {
        var window = DeliveryWindow()
        window.posted.records += 100
        window.posted.replies += 20
        #expect(window.unreported == 120)
        #expect(window.report() == DeliveryReport(records: 100, replies: 20))
        #expect(window.unreported == 0)
        window.posted.replies += 1
        #expect(window.unreported == 1)
        #expect(window.report() == DeliveryReport(records: 100, replies: 21))
    }
}
