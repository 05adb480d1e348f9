import Testing

@testable import GroveWire

@Suite("CivilDate")
struct CivilDateTests {
    @Test func `every day of 800 years follows the one before`() {
        var days = CivilDate(year: 1600, month: 1, day: 1).daysSinceEpoch
        var wrong = 0
        for year in Int64(1_600)..<2_400 {
            let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
            let lengths: [Int64] = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
            for (month, length) in lengths.enumerated() {
                for day in 1...length {
                    let date = CivilDate(year: year, month: Int64(month + 1), day: day)
                    if date.daysSinceEpoch != days || CivilDate(daysSinceEpoch: days) != date {
                        wrong += 1
                    }
                    days += 1
                }
            }
        }
        #expect(wrong == 0)
    }

    @Test func `the epoch is day 0`() {
        #expect(CivilDate(daysSinceEpoch: 0) == CivilDate(year: 1970, month: 1, day: 1))
        #expect(CivilDate(daysSinceEpoch: -719_528) == CivilDate(year: 0, month: 1, day: 1))
    }

    @Test func `a division's rest is never negative`() {
        #expect(CivilDate.floorDivide(-1, 10) == (-1, 9))
        #expect(CivilDate.floorDivide(-10, 10) == (-1, 0))
        #expect(CivilDate.floorDivide(19, 10) == (1, 9))
    }
}
