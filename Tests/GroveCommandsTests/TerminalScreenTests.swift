import Testing

@testable import GroveCommands

@Suite("Columns of a terminal")
struct TerminalScreenTests {
    @Test func `texts are cut to a width`() {
        #expect("abc".cut(to: 3) == "abc" && "abcd".cut(to: 3) == "ab…")
        #expect("abc".cut(to: 1) == "…" && "abc".cut(to: 0).isEmpty && "".cut(to: 0).isEmpty)
        #expect("短い言葉".cut(to: 8) == "短い言葉" && "短い言葉".cut(to: 7) == "短い言…")
        #expect("短い言葉".cut(to: 6) == "短い…" && "e\u{301}e\u{301}".cut(to: 2) == "e\u{301}e\u{301}")
    }

    @Test(arguments: [
        ("", 0), ("abc", 0), ("abcde", 1), ("abcdefghi", 1), ("abcdefghij", 2), ("短い", 0),
        ("短い言", 1), ("短い言葉紙", 2),
    ])
    func `a terminal of five columns breaks a text`(text: String, breaks: Int) {
        #expect(text.lineBreaks(columns: 5) == breaks)
    }

    @Test func `columns of a table are as wide as their widest cell looks`() {
        #expect(
            Table.lines([["短い", "x"], ["ab", "y"], ["e\u{301}", "z"]])
                == ["短い  x", "ab    y", "e\u{301}     z"])
        #expect(Table.pad("短い", 5) == "短い " && Table.pad("abc", 2) == "abc")
    }
}
