import GroveTestSupport
import OrderedJSON
import Testing

/// Numbers: which are integers, and which double the others are.
@Suite struct NumberReadingTests {
    private static let tooLarge: [String] = [
        "1.7976931348623159e308", "-1.7976931348623159e308", "1e309", "-1e309", "1e999999999999",
        "1.79769313486231581e308", "1" + repeated("0", 309), "1e00000000000000000000400",
        "0." + repeated("0", 300) + "1e700", repeated("9", 310), repeated("9", 310) + ".5e-0",
    ]

    private static let whole = "17976931348623157" + repeated("0", 292)
    private static let tiny = "0." + repeated("0", 400) + "1"
    private static let shifted = "0." + repeated("0", 500) + "1e501"
    private static let lowered = "1" + repeated("0", 400) + "e-400"
    private static let extremes: [(String, Double)] = [
        ("1.7976931348623157e308", Double.greatestFiniteMagnitude),
        ("-1.7976931348623157E+308", -Double.greatestFiniteMagnitude),
        (whole, Double.greatestFiniteMagnitude),
        // Just below the middle between the largest double and the next power of two.
        ("1.7976931348623158079e308", Double.greatestFiniteMagnitude),
        ("4.9406564584124654e-324", Double.leastNonzeroMagnitude),
        ("2.4703282292062328e-324", Double.leastNonzeroMagnitude),
        ("2.4703282292062327e-324", 0), ("1e-400", 0), ("-1e-400", -0.0),
        (tiny, 0), ("1e-1000000000000000000000", 0),
        ("0e1000000000000000000000", 0), (shifted, 1),
        (lowered, 1),
        ("2.2250738585072011e-308", Double.leastNormalMagnitude.nextDown),
        ("9007199254740993.0", 9007199254740992),
        ("9007199254740992.99999999999", 9007199254740992),
        ("9007199254740993.00000000000000000000000000000000001", 9007199254740994),
    ]

    @Test(
        arguments: [
            ("0", 0), ("-0", 0), ("7", 7), ("-1", -1), ("999999999999999", 999_999_999_999_999),
            ("1000000000000000", 1_000_000_000_000_000),
            ("9007199254740991", 9_007_199_254_740_991),
            ("-9007199254740991", -9_007_199_254_740_991),
        ] as [(String, Int64)])
    func `a plain number within two to the fifty-third is an exact integer`(
        text: String, value: Int64
    ) throws {
        let document = try parsed(text)
        #expect(document.kind(document.root) == .integer)
        #expect(document.integer(document.root) == value)
        #expect(document.double(document.root) == Double(value))
    }

    @Test(
        arguments: [
            ("9007199254740992", 9007199254740992.0), ("-9007199254740992", -9007199254740992.0),
            ("9007199254740993", 9007199254740992.0), ("5.0", 5.0), ("5e0", 5.0), ("-0.0", -0.0),
            ("1E42", 1e42), ("1e-2", 0.01), ("0.1", 0.1), ("1.5E+3", 1500.0),
            ("123456789012345678901234567890", 123456789012345678901234567890.0),
            ("0e5", 0), ("0.000", 0), ("-0e-0", -0.0),
            ("18446744073709551616", 18446744073709551616.0),
        ] as [(String, Double)])
    func `any other number is a double`(text: String, value: Double) throws {
        let document = try parsed(text)
        #expect(document.kind(document.root) == .double)
        #expect(document.integer(document.root) == nil)
        #expect(document.double(document.root)?.bitPattern == value.bitPattern)
    }

    @Test(arguments: extremes)
    func `the nearest double is found, also at the ends of the range`(
        text: String, value: Double
    ) throws {
        let document = try parsed(text)
        #expect(document.double(document.root)?.bitPattern == value.bitPattern)
    }

    @Test(arguments: tooLarge)
    func `the error of a number too large for a double is at its first byte`(text: String) {
        #expect(refusal(of: text) == JSONError(offset: 0, reason: .numberOverflow))
        #expect(refusal(of: "[1, \(text)]") == JSONError(offset: 4, reason: .numberOverflow))
    }

    @Test func `a middle between two doubles is decided by its last digit, however far`() throws {
        // 2^53 + 1 lies in the middle; ties go to the even neighbour below.
        for zeros in [1, 30, 780, 799, 800, 801, 2000, 100_000] {
            let middle = "9007199254740993." + repeated("0", zeros)
            let document = try parsed("[\(middle)0, \(middle)1]")
            let values = document.elements(of: document.root).map { document.double($0) }
            #expect(values == [9007199254740992, 9007199254740994])
        }
    }

    @Test func `a megabyte of digits is one number, read quickly`() throws {
        let megabyte = repeated("7", 1_000_000)
        #expect(refusal(of: megabyte)?.reason == .numberOverflow)
        let fraction = try parsed("0." + megabyte)
        #expect(fraction.double(fraction.root) == 0.7777777777777777777777)
        let balanced = try parsed(megabyte + "e-1000000")
        #expect(balanced.double(balanced.root) == 0.7777777777777777777777)
        let exponent = try parsed("1e-" + megabyte)
        #expect(exponent.double(exponent.root) == 0)
        #expect(refusal(of: "1e" + megabyte)?.reason == .numberOverflow)
        #expect(throws: Never.self) { try parsed("0e" + megabyte) }
    }

    @Test func `doubles of every size read back bit for bit`() throws {
        let seed = testSeed("NumberReadingTests")
        var random = SeededRandom(seed: seed)
        for _ in 0..<20_000 {
            let value = Double(bitPattern: random.next())
            guard value.isFinite else { continue }
            let document = try parsed("[\(value)]")
            let read = document.elements(of: document.root).map { document.double($0) }
            #expect(read.first??.bitPattern == value.bitPattern, "seed \(seed): \(value)")
        }
    }

    @Test func `decimals of every shape are read as the standard library does`() throws {
        let seed = testSeed("NumberReadingTests")
        var random = SeededRandom(seed: seed)
        func digits(_ count: Int) -> String {
            String((0..<count).map { _ in "0123456789".randomElement(using: &random) ?? "0" })
        }
        for _ in 0..<5000 {
            let whole = String(Int.random(in: 0...99_999, using: &random))
            let count = Int.random(in: 1...30, using: &random)
            let exponent = Int.random(in: -300...280, using: &random)
            let text = "\(whole).\(digits(count))e\(exponent)"
            let document = try parsed(text)
            #expect(document.double(document.root) == Double(text), "seed \(seed): \(text)")
        }
    }
}
