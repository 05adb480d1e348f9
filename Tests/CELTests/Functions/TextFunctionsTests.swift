import Testing

@testable import CEL

struct TextFunctionsTests {
    @Test func `texts are compared by code point`() throws {
        #expect(try value("'\u{E9}' == 'e\u{301}'") == false)
        #expect(try value("'K' == '\u{212A}'") == false)
        #expect(try value("'\u{FFFF}' < '\u{10000}'") == true)
        #expect(try value("{'\u{E9}': 1, 'e\u{301}': 2}.size()") == 2)
        #expect("\u{E9}".hasSameBytes(as: "\u{E9}") && !"\u{E9}".hasSameBytes(as: "e\u{301}"))
        #expect("12345678901234567890".hasSameBytes(as: "12345678901234567890"))
        #expect(!"12345678901234567890".hasSameBytes(as: "1234567890123456789x"))
    }

    @Test(arguments: [
        ("'abc'.indexOf('')", "0"), ("'abc'.indexOf('', 2)", "2"), ("'abc'.lastIndexOf('')", "3"),
        ("'aaa'.indexOf('aa', 1)", "1"), ("'aaa'.lastIndexOf('aa')", "1"),
        ("'aaa'.lastIndexOf('aa', 0)", "0"),
        ("'abc'.lastIndexOf('bc', 2)", "1"), ("'\u{1F600}a'.indexOf('a')", "1"),
        ("'a'.indexOf('abc')", "-1"),
        ("'a'.lastIndexOf('abc')", "-1"), ("''.split(',')", "['']"), ("''.split('')", "[]"),
        ("'a\u{E4}'.split('')", "['a', '\u{E4}']"), ("'abc'.split('', 2)", "['a', 'bc']"),
        ("'a,b'.split(',', 1)", "['a,b']"),
        ("'a,b'.split(',', -1)", "['a', 'b']"), ("'\u{E4}b'.replace('', '-')", "'-\u{E4}-b-'"),
        ("'ab'.replace('', '-', 2)", "'-a-b'"),
        ("'aaaa'.replace('aa', 'b')", "'bb'"), ("'abab'.replace('ab', '', 1)", "'ab'"),
        ("'a'.replace('a', 'b', 0)", "'a'"),
        ("''.trim()", "''"), ("'  '.trim()", "''"), ("'\u{2003}a\u{A0}'.trim()", "'a'"),
        ("'\u{E4}A'.lowerAscii()", "'\u{E4}a'"),
        ("'a\u{301}b'.reverse()", "'b\u{301}a'"), ("'abc'.substring(3)", "''"),
        ("'\u{E4}bc'.substring(1, 2)", "'b'"),
        ("'abc'.contains('')", "true"), ("'abc'.contains('cd')", "false"),
        ("'ab'.endsWith('abc')", "false"),
        ("strings.quote('\\a\\b\\f\\n\\r\\t\\v\\\\')", "r'\"\\a\\b\\f\\n\\r\\t\\v\\\\\"'"),
        ("[].join('a')", "''"),
    ])
    func `positions count code points`(text: String, expected: String) throws {
        #expect(try value(text) == value(expected))
    }

    @Test func `positions outside of the text are errors`() {
        for text in [
            "'abc'.indexOf('a', 3)", "'abc'.indexOf('a', -1)", "'abc'.lastIndexOf('a', 3)",
            "'abc'.charAt(-1)",
            "'abc'.substring(4)", "'abc'.substring(2, 1)", "'abc'.substring(0, 4)", "[1].join()",
        ] {
            #expect(fault(text.replacing("[1]", with: "[dyn(1)]"))?.kind == .evaluation, "\(text)")
        }
    }

    @Test func `a search finds what a slow one finds`() {
        var random = SeededNumbers(state: 7)
        for _ in 0..<2_000 {
            let text = (0..<Int.random(in: 0...12, using: &random)).map { _ in
                Bool.random(using: &random)
            }
            let wanted = (0...Int.random(in: 0...4, using: &random)).map { _ in
                Bool.random(using: &random)
            }
            let slow = text.indices.first { text[$0...].starts(with: wanted) }
            #expect(TextSearch(wanted).first(in: text) == slow)
            let places = TextSearch(wanted).places(in: text, limit: 3)
            #expect(places.count <= 3 && places.first == slow)
        }
    }

    @Test func `base64 is read with and without padding`() {
        #expect(Base64Text.encode([]) == "" && Base64Text.encode([1]) == "AQ==")
        #expect(Base64Text.encode([1, 2]) == "AQI=" && Base64Text.encode([1, 2, 3]) == "AQID")
        for count in 0..<20 {
            let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 * 77 + 200) }
            let text = Base64Text.encode(bytes)
            #expect(Base64Text.decode(text) == bytes)
            #expect(Base64Text.decode(text.replacing("=", with: "")) == bytes)
        }
        for text in ["A", "A=", "AA=", "A===", "AA==A", "A!==", "AAAAA", "====", "=", "\u{E4}AA"] {
            #expect(Base64Text.decode(text) == nil, "\(text)")
        }
    }
}
