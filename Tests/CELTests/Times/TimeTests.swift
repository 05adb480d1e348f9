import Foundation
import Testing

@testable import CEL

struct TimeTests {
    @Test func `days and dates belong to each other`() throws {
        for number in stride(from: -719_162, through: 2_932_896, by: 97) {
            let time = CivilTime(Int64(number) * 86_400 + 5)
            #expect(
                CivilTime.dayNumber(year: time.year, month: time.month, day: time.day) == number)
            #expect(time.dayNumber == number && time.second == 5)
            #expect((1...CivilTime.days(inMonth: time.month, of: time.year)).contains(time.day))
        }
        #expect(CivilTime(-1).hour == 23 && CivilTime(-1).weekday == 3)
        #expect(CivilTime(951_782_400).dayOfYear == 59)
        #expect(CivilTime.isLeap(2000) && !CivilTime.isLeap(1900) && CivilTime.isLeap(2024))
    }

    @Test func `timestamps are read and written`() throws {
        for text in [
            "0001-01-01T00:00:00Z", "9999-12-31T23:59:59.999999999Z",
            "1970-01-01T00:00:00.000000001Z",
            "2000-02-29T12:34:56.78Z", "1969-12-31T23:59:59.5Z",
        ] {
            #expect(CELTimestamp(text)?.description == text)
        }
        #expect(CELTimestamp("2000-01-01T00:00:00-23:59")?.description == "2000-01-01T23:59:00Z")
        #expect(CELTimestamp("2000-01-01T00:00:00.1234567899Z")?.nanoseconds == 123_456_789)
        for text in [
            "", "2000-01-01", "2000-01-01T00:00:00", "2000-13-01T00:00:00Z", "1900-02-29T00:00:00Z",
            "2000-01-01T24:00:00Z",
            "2000-01-01T00:60:00Z", "2000-01-01T00:00:60Z", "2000-01-01T00:00:00.Z",
            "2000-01-01t00:00:00Z", "0000-01-01T00:00:00Z",
            "0001-01-01T00:00:00+00:01", "2000-01-01T00:00:00+24:00", "2000-01-01T00:00:00Zx",
            "2000-01-00T00:00:00Z", "+200-01-01T00:00:00Z",
        ] {
            #expect(CELTimestamp(text) == nil, "\(text)")
        }
        #expect(CELTimestamp(seconds: 0, nanoseconds: 1_000_000_000) == nil)
        #expect(CELTimestamp(seconds: .max) == nil && CELTimestamp(seconds: .min) == nil)
    }

    @Test func `times are added within their range`() throws {
        let start = try #require(CELTimestamp(seconds: 0, nanoseconds: 5))
        #expect(
            start.adding(CELDuration(nanoseconds: -6))?.description
                == "1969-12-31T23:59:59.999999999Z")
        #expect(start.adding(CELDuration(nanoseconds: .max))?.since(start)?.nanoseconds == .max)
        #expect(start.adding(CELDuration(nanoseconds: .min))?.since(start)?.nanoseconds == .min)
        let first = try #require(CELTimestamp("0001-01-01T00:00:00Z"))
        #expect(first.adding(CELDuration(nanoseconds: -1)) == nil && start.since(first) == nil)
        #expect(first < start && CELTimestamp.epoch < start)
    }

    @Test func `durations are read and written`() {
        let cases: [(String, Int64?)] = [
            ("1h30m", 5_400_000_000_000), ("-1.5s", -1_500_000_000), ("250ms", 250_000_000),
            ("1us2ns", 1_002),
            ("1\u{B5}s", 1_000), ("+.5s", 500_000_000), ("1.s", 1_000_000_000), ("0", 0), ("-0", 0),
            ("0.0000000001s", 0),
            // What is below a nanosecond is cut off once, and not for each digit.
            ("0.000000000039m", 2), ("6.934145036988m", 416_048_702_219), ("0.0000000000019h", 6),
            ("0.9999999999999999999999h", 3_599_999_999_999),
            ("9223372036854775807ns", .max), ("-9223372036854775808ns", .min),
            ("9223372036854775808ns", nil), ("1.1h", 3_960_000_000_000),
            ("", nil), ("1", nil), ("s", nil), (".s", nil), ("1x", nil), ("1s ", nil),
            ("--1s", nil), ("3000000h", nil), ("-", nil), ("1m1", nil),
        ]
        for (text, nanoseconds) in cases {
            #expect(CELDuration(text)?.nanoseconds == nanoseconds, "\(text)")
        }
        #expect(CELDuration(nanoseconds: .min).description == "-9223372036.854775808s")
        #expect(CELDuration(nanoseconds: 1_500_000_000).description == "1.5s")
        #expect(
            CELDuration(nanoseconds: 0).description == "0s"
                && CELDuration(nanoseconds: -1) < CELDuration(nanoseconds: 0))
    }

    @Test func `parts of durations are whole units`() throws {
        #expect(try value("duration('-90m').getHours()") == -1)
        #expect(try value("duration('1.75s').getMilliseconds()") == 750)
        #expect(throws: CELError.self) { try uncheckedValue("duration('1s').getFullYear()") }
        var arguments = Arguments()
        arguments.append(.timestamp(.epoch))
        #expect(try TimeFunctions.call(.dayOfWeek, arguments) == 4)
    }

    @Test func `offsets and names are zones`() throws {
        #expect(ZoneOffset("+05:30")?.seconds(at: 0) == 19_800)
        #expect(
            ZoneOffset("-02:30")?.seconds(at: 0) == -9_000
                && ZoneOffset("02:00")?.seconds(at: 0) == 7_200)
        #expect(ZoneOffset("UTC")?.seconds(at: 0) == 0)
        for name in [
            "+5:30", "+24:00", "05:60", "Nowhere/Else", "../../etc/passwd", "/etc/passwd", "",
            "Europe", "a//b", "Europe/Berlin\0", "Z", "Local", "localtime", "posixrules",
        ] {
            if name.isEmpty { continue }
            #expect(ZoneOffset(name) == nil, "\(name)")
        }
        #expect(
            fault("timestamp(0).getHours('Nowhere')")?.message == "there is no time zone 'Nowhere'")
    }

    @Test(arguments: [
        "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kolkata",
        "Africa/Casablanca", "America/Sao_Paulo",
    ])
    func `the rules of a zone are those of the system`(name: String) throws {
        let rules = try #require(ZoneDatabase.shared.rules(of: name))
        let zone = try #require(TimeZone(identifier: name))
        // Before 1970 databases differ in what they keep; after 2037 the yearly rules count.
        for second in stride(from: Int64(0), through: 4_000_000_000, by: 1_299_709) {
            let expected = zone.secondsFromGMT(
                for: Date(timeIntervalSince1970: TimeInterval(second)))
            if rules.offset(at: second) != expected {
                // The system's formatter may have another version of the database.
                #expect(
                    second > 1_600_000_000,
                    "\(name) at \(second): \(rules.offset(at: second)), \(expected)")
            }
        }
    }

    @Test func `yearly rules name days in three ways`() throws {
        func offset(_ text: String, _ time: String) throws -> Int {
            let rule = try #require(ZoneRule(Array(text.utf8)[...]))
            return rule.offset(at: try #require(CELTimestamp(time)).seconds)
        }
        #expect(try offset("CST6CDT,M3.2.0,M11.1.0", "2009-02-13T23:31:30Z") == -21_600)
        #expect(try offset("CST6CDT,M3.2.0,M11.1.0", "2009-03-08T07:59:59Z") == -21_600)
        #expect(try offset("CST6CDT,M3.2.0,M11.1.0", "2009-03-08T08:00:00Z") == -18_000)
        #expect(try offset("CST6CDT,M3.2.0,M11.1.0", "2009-11-01T07:00:00Z") == -21_600)
        #expect(
            try offset("<+1030>-10:30<+11>-11,M10.1.0,M4.1.0", "2024-01-01T00:00:00Z") == 39_600)
        #expect(
            try offset("<+1030>-10:30<+11>-11,M10.1.0,M4.1.0", "2024-06-01T00:00:00Z") == 37_800)
        #expect(try offset("A0B,J60/0,J300/0", "2024-03-01T00:00:00Z") == 3_600)
        #expect(try offset("A0B,J60/0,J300/0", "2024-02-29T23:59:59Z") == 0)
        #expect(try offset("A0B,59/0,300/0", "2024-02-29T00:00:00Z") == 3_600)
        #expect(try offset("A0B,M5.5.5/-1:30:10,300/0", "2024-05-30T22:29:50Z") == 3_600)
        #expect(try offset("UTC0", "2024-02-29T00:00:00Z") == 0)
        for text in [
            "", "A", "A1B", "A1B,M13.1.0,M1.1.0", "A1B,M1.1.0", "A1B,J0,J1", "<A1", "A1B,400,1",
            "A1B,M1.1.0,M2.1.0x",
        ] {
            #expect(ZoneRule(Array(text.utf8)[...]) == nil, "\(text)")
        }
    }

    @Test func `a file that is no zone isn't one`() throws {
        let url = URL(fileURLWithPath: "/usr/share/zoneinfo/Europe/Berlin")
        let bytes = Array(try Data(contentsOf: url))
        #expect(ZoneRules(tzif: bytes) != nil)
        var random = SeededNumbers(state: 5)
        for count in stride(from: 0, to: bytes.count - 40, by: 13) {
            // The yearly rules alone may be missing.
            _ = ZoneRules(tzif: Array(bytes[..<count]))?.offset(at: 4_000_000_000)
            var changed = bytes
            changed[Int.random(in: changed.indices, using: &random)] = UInt8.random(
                in: 0...255, using: &random)
            _ = ZoneRules(tzif: changed)?.offset(
                at: Int64.random(in: -62_135_596_800...253_402_300_799, using: &random))
        }
        #expect(ZoneRules(tzif: []) == nil && ZoneRules(tzif: Array("TZif1".utf8)) == nil)
        #expect(ZoneDatabase(folder: "/nowhere").rules(of: "UTC") == nil)
    }
}
