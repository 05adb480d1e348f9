import Foundation
import Testing

@testable import CEL

struct NumberTextTests {
    @Test func `the shortest text reads back as the same number`() throws {
        let values: [(Double, String)] = [
            (0, "0"), (-0.0, "-0"), (1, "1"), (123.456, "123.456"), (1e6, "1e+06"),
            (123_456, "123456"),
            (6.02214e23, "6.02214e+23"), (1e-5, "1e-05"), (0.0001, "0.0001"),
            (1.38e-23, "1.38e-23"),
            (-987.654, "-987.654"), (.infinity, "Infinity"), (-.infinity, "-Infinity"),
            (.nan, "NaN"),
            (.leastNonzeroMagnitude, "5e-324"), (1.7976931348623157e308, "1.7976931348623157e+308"),
        ]
        for (number, text) in values { #expect(NumberText.short(number) == text) }
        #expect(NumberText.plain(1e21) == "1000000000000000000000")
        #expect(NumberText.plain(1.5e-7) == "0.00000015")
    }

    @Test func `digits are rounded as the system's own printing rounds them`() {
        var random = SeededNumbers(state: 3)
        for round in 0..<3_000 {
            var number = Double(bitPattern: random.next())
            if round % 2 == 0 {
                number = Double(Int64(truncatingIfNeeded: random.next()) >> 40) / 1_024
            }
            guard number.isFinite else { continue }
            let digits = Int(random.next() % 12)
            #expect(
                NumberText.fixed(number, digits: digits) == String(format: "%.\(digits)f", number))
            #expect(
                NumberText.scientific(number, digits: digits)
                    == String(format: "%.\(digits)e", number))
        }
        #expect(NumberText.fixed(0.5, digits: 0) == "0" && NumberText.fixed(1.5, digits: 0) == "2")
        #expect(
            NumberText.fixed(9.99, digits: 1) == "10.0"
                && NumberText.fixed(0.04, digits: 1) == "0.0")
        #expect(NumberText.fixed(.leastNonzeroMagnitude, digits: 3) == "0.000")
    }

    @Test func `all digits of a double are known`() {
        let tenth = ExactDecimal(exactly: 0.1)
        #expect(tenth.digits.count == 55 && tenth.point == 0)
        #expect(ExactDecimal(exactly: .leastNonzeroMagnitude).fractionCount == 1_074)
        #expect(ExactDecimal(exactly: .greatestFiniteMagnitude).point == 309)
        #expect(ExactDecimal(exactly: 0).digits.isEmpty)
        #expect(ExactDecimal(shortest: 1.5e300).point == 301)
        #expect(tenth.rounded(fractionDigits: 1).digits == [UInt8(ascii: "1")])
        #expect(tenth.rounded(fractionDigits: -5).digits.isEmpty)
    }

    @Test(arguments: [
        ("'%s %s'.format([1, true])", "1 true"), ("'%d %d %d'.format([1, 2u, 1.5])", "1 2 1.5"),
        ("'%.3e'.format([1234.5678])", "1.235e+03"), ("'%f'.format([0.5])", "0.500000"),
        ("'%.0f'.format([2.5])", "2"),
        ("'%b %b %b'.format([-5, 5u, false])", "-101 101 0"), ("'%o'.format([-8])", "-10"),
        ("'%x %X %x'.format([-255, 255u, b'\\x00\\xff'])", "-ff FF 00ff"),
        ("'%%%s'.format(['%d'])", "%%d"),
        ("'%s'.format([[1, 'a', [null, 1.0]]])", "[1, a, [null, 1]]"),
        ("'%s'.format([{2: 'b', 1: 'a'}])", "{1: a, 2: b}"),
        ("'%s %s'.format([timestamp(0), duration('-1.5s')])", "1970-01-01T00:00:00Z -1.5s"),
        ("'%s %s'.format([int, b'ab'])", "int ab"), ("'%e'.format([0])", "0.000000e+00"),
        ("'%s'.format([b'\\xF0abc\\x8C\\xF0xyz'])", "\u{FFFD}abc\u{FFFD}xyz"),
        (
            "'%s'.format([[b'\\xff\\xfe', b'\\xff\\xc3\\xaf\\xff']])",
            "[\u{FFFD}, \u{FFFD}\u{EF}\u{FFFD}]"
        ),
        ("'%s'.format([b'\\xef\\xbf\\xbd\\xff'])", "\u{FFFD}\u{FFFD}"),
        ("'%s'.format([1e100])", "1" + String(repeating: "0", count: 100)),
    ])
    func `clauses write their values`(text: String, expected: String) throws {
        #expect(try value(text) == .string(expected))
    }

    @Test(arguments: [
        "'%'", "'%.'", "'%.1'", "'%q'", "'%s%s'", "'%.2000f'", "'%E'", "'%.x'",
        "'%d'.format(['a'])", "'%f'.format(['a'])",
        "'%b'.format([1.5])", "'%o'.format([true])", "'%x'.format([1.5])",
        "'%s'.format([optional.of(1)])", "'%e'.format([null])",
    ])
    func `wrong clauses are errors`(text: String) {
        let text = text.contains("format") ? text : "\(text).format([1])"
        #expect(fault(text)?.kind == .evaluation, "\(text)")
        #expect(fault("\(text) == ''")?.message.isEmpty == false)
    }

    @Test func `numbers are rounded and their bits moved`() throws {
        #expect(
            try value("[math.round(-2.5), math.ceil(-1.5), math.floor(-1.5)]") == [
                -3.0, -1.0, -2.0,
            ])
        #expect(
            try value("math.sign(-0.0) == 0.0 && math.sign(-2.0) == -1.0 && math.sign(3u) == 1u")
                == true)
        #expect(
            try value("math.bitNot(0u) == 18446744073709551615u && math.bitXor(5u, 1u) == 4u")
                == true)
        #expect(
            try value("math.bitShiftLeft(1, 64) == 0 && math.bitShiftRight(-1, 63) == 1") == true)
        #expect(
            try value("math.greatest(1, 1.0) == 1 && type(math.greatest(1, 1.0)) == int") == true)
        #expect(try value("math.least(-9223372036854775808, 0u)") == .int(.min))
        #expect(fault("math.greatest([])")?.kind == .evaluation)
        #expect(fault("math.greatest(dyn('a'))")?.kind == .evaluation)
        #expect(fault("math.bitAnd(dyn(1), dyn(1u))")?.kind == .evaluation)
        #expect(fault("math.bitShiftLeft(1, -1)")?.message == "a shift by -1 bits is negative")
        #expect(try NumberFunctions.better(1, 2, .greatest) == 2)
    }

    @Test func `conversions refuse what they can't keep`() throws {
        for text in [
            "int('1.5')", "int('')", "int(' 1')", "int('9223372036854775808')", "uint('-1')",
            "uint('+1')", "uint(18446744073709551616.0)",
            "double('x')", "double('')", "double('1e400')", "double('-1e400')",
            "double('1.5\\u0000')",
            "double('0x10')", "double('0x1p')", "double('0x.p1')", "double('1p4')", "double('1_0')",
            "double('nan()')", "double('-nan')", "double('+NaN')", "double('snan')",
            "double('infin')",
            "double('.')", "double('+')", "double('1e')", "double(' 1')", "double('1e5.0')",
            "bool('yes')", "string(b'\\xff')",
            "timestamp('x')", "duration('1')",
            "int(9223372036854775807.0)", "uint(-1)",
        ] {
            #expect(fault(text)?.message.contains("can't be converted to") == true, "\(text)")
        }
        #expect(
            try value("double('Infinity') > 1.0 && double('-inf') < 1.0 && double('nan') != 1.0")
                == true)
        #expect(try value("[double('.5'), double('+1.'), double('-1E-1')]") == [0.5, 1.0, -0.1])
        #expect(try value("[double('0x1p-2'), double('-0X.8P+1')]") == [0.25, -1.0])
        #expect(try value("double('1e-999') == 0.0 && double('+iNF') == 1.0 / 0.0") == true)
        #expect(
            DoubleText.value("NAN")?.isNaN == true && DoubleText.value("-infinity") == -.infinity)
        #expect(try value("int('-5') + int('+5') + int(duration('2.9s')) + int(-2.9)") == 0)
        #expect(throws: CELError.self) { try uncheckedValue("int(null)") }
        var budget = Budget(limits: .standard)
        let truth = try Conversions.call(.toBool, "t", &budget)
        var arguments = Arguments()
        arguments.append("abc")
        let size = try Functions.call(.size, arguments, &budget)
        let reversed = try TextFunctions.call(.reverse, arguments, &budget)
        arguments.append([])
        let formatted = try FormatText.format(arguments, &budget)
        #expect(truth == true && size == 3 && reversed == "cba" && formatted == "abc")
    }
}
