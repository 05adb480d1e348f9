import Testing

@testable import CEL

struct LexerTests {
    private func kinds(_ text: String) throws -> [Token.Kind] {
        var lexer = Lexer(text)
        var kinds: [Token.Kind] = []
        while true {
            let token = try lexer.next()
            if token.kind == .end { return kinds }
            kinds.append(token.kind)
        }
    }

    private func syntaxFault(_ text: String) -> SyntaxFault? {
        do throws(SyntaxFault) {
            _ = try Parser.parse(text)
            return nil
        } catch {
            return error
        }
    }

    @Test func `words, marks and comments are told apart`() throws {
        #expect(
            try kinds("a_1.in `b-c` const // all of this\n <= 5") == [
                .identifier("a_1"), .mark("."), .keyword("in"), .quoted("b-c"), .reserved("const"),
                .mark("<="), .literal,
            ])
        #expect(try kinds("a==b") == [.identifier("a"), .mark("=="), .identifier("b")])
        #expect(try kinds(" \t\r\n\u{C}").isEmpty)
    }

    @Test func `tokens know their place in bytes`() throws {
        var lexer = Lexer("'\u{E4}' + b")
        #expect(try lexer.next().offset == 0)
        #expect(try lexer.next().offset == 5)
        #expect(try lexer.next().offset == 7)
        #expect(try lexer.next().offset == 8)
    }

    @Test func `numbers have their type`() throws {
        #expect(try value("0x1f") == .int(31))
        #expect(try value("18446744073709551615u") == .uint(.max))
        #expect(try value("0XFFu") == .uint(255))
        #expect(try value(".5e1") == .double(5))
        #expect(try value("-9223372036854775808") == .int(.min))
        #expect(try value("- 1") == .int(-1))
        #expect(try value("1e-400") == .double(0))
    }

    @Test(arguments: [
        ("1a", "a number ends with a letter"), ("0x", "digits are missing"), ("1e", "no digits"),
        ("9223372036854775808", "out of the range of int"), ("1e400", "out of the range of double"),
        ("18446744073709551616u", "out of the range of uint"), ("'a", "isn't closed"),
        ("'a\n'", "a line ends"), ("'\\q'", "no such escape"), ("'\\u12'", "needs 4 digits"),
        ("'\\ud800'", "isn't a Unicode code point"),
        ("'\\U00110000'", "isn't a Unicode code point"),
        ("b'\\u0041'", "no such escape"), ("'\\x+1'", "needs 2 digits"),
        ("'\\477'", "no such escape"),
        ("`a", "isn't closed"), ("`a+`", "a name in back quotes"), ("``", "a name is missing"),
        ("#", "no token begins with '#'"), ("\u{1}", "no token begins with U+1"),
        ("'\\", "isn't closed"),
        ("a = b", "no token begins with '=': '==' compares"), ("a === b", "'==' compares"),
        ("a & b", "write '&&'"), ("a | b", "write '||'"), ("'''a''", "isn't closed"),
        ("1.", "name of a member"),
    ])
    func `a wrong token has a message`(text: String, message: String) {
        #expect(
            syntaxFault(text)?.message.contains(message) == true,
            "\(syntaxFault(text)?.message ?? "")")
    }

    @Test func `texts of all forms have their content`() throws {
        #expect(try value("\"a'b\"") == "a'b")
        #expect(try value("'''a\n'b''c'''") == "a\n'b''c")
        #expect(try value("r'\\n\\'") == "\\n\\")
        #expect(try value("'\\x41\\101\\u0041\\U00000041'") == "AAAA")
        #expect(try value("'\\xff'") == "\u{FF}")
        #expect(try value("b'\\xff\u{E4}'") == .bytes([0xFF, 0xC3, 0xA4]))
        #expect(try value("bR'\\xff'") == .bytes(Array("\\xff".utf8)))
    }
}
