import Testing

@testable import GroveCommands

@Suite("HumanTime")
struct HumanTimeTests {
    @Test(arguments: [
        (0, "now"), (400, "now"), (600, "in 1 s"), (-600, "1 s ago"), (89_000, "in 89 s"),
        (90_000, "in 2 min"), (1_795_000, "in 30 min"), (-1_740_000, "29 min ago"),
        (5_400_000, "in 2 h"), (129_500_000, "in 36 h"), (172_800_000, "in 2 days"),
        (-864_000_000_000, "10000 days ago"),
    ])
    func `a time is shown relative to now`(milliseconds: Int64, text: String) {
        #expect(HumanTime.relative(5 + milliseconds, now: 5) == text)
    }

    @Test func `the server's texts are read`() {
        #expect(HumanTime.milliseconds("1970-01-01T00:00:00.000Z") == 0)
        #expect(HumanTime.milliseconds("2026-11-22T10:08:33.416Z") == 1_795_342_113_416)
        for text in ["", "2026-11-22", "2026-11-22T10:08:33.416+1", "xxxx-11-22T10:08:33.416Z"] {
            #expect(HumanTime.milliseconds(text) == nil, "\(text)")
        }
    }

    @Test func `times of another day have their date`() {
        let noon: Int64 = 1_795_348_800_007
        #expect(HumanTime.local(noon, now: noon).contains(/^[0-9]{2}:[0-9]{2}:[0-9]{2}\.007$/))
        let later = HumanTime.local(noon, now: noon + 3 * 86_400_000)
        #expect(later.contains(/^2026-11-2[0-9] [0-9]{2}:[0-9]{2}:[0-9]{2}\.007$/), "\(later)")
    }

    @Test(arguments: [
        (0, "0 s"), (59, "59 s"), (61, "1 min 1 s"), (11_520, "3 h 12 min"),
        (183_600, "2 days 3 h"),
    ])
    func `spans have two units`(seconds: Int64, text: String) {
        #expect(HumanTime.span(seconds: seconds) == text)
    }
}
