import Testing

@testable import Diagrams

@Suite("Widths of texts")
struct TextCellsTests {
    @Test(arguments: [
        ("", 0), ("abc", 3), ("é", 1), ("e\u{301}", 1), ("短い", 4), ("ｆ", 2), ("한국", 4),
        ("a👍b", 4), ("👨‍👩‍👧", 2), ("a\u{200B}", 1),
    ])
    func `wide characters take two cells, marks none`(text: String, cells: Int) {
        #expect(TextCells.count(text) == cells)
    }

    @Test(arguments: [
        ("abcdef", 6, "abcdef"), ("abcdefg", 6, "abcde…"), ("短い言葉", 6, "短い…"),
        ("短い言葉", 8, "短い言葉"), ("a\nb", 6, "a b"), ("a\u{0}b", 6, "a\u{FFFD}b"),
    ])
    func `texts are cut to cells and on one line`(text: String, cells: Int, shown: String) {
        #expect(TextCells.shown(text, cellsMax: cells) == shown)
    }

    @Test(arguments: [
        ("abc", false), ("é ü ß Ω Я", false), ("短い 한국", false), ("สวัสดี", true), ("مرحبا", true),
        ("नमस्ते", true), ("a 𝄞", true),
    ])
    func `scripts that no monospace font has may be wider or narrower`(text: String, may: Bool) {
        #expect(TextCells.mayDiffer(text) == may)
    }

    @Test func `a cluster of many marks is bounded`() {
        let text = "a" + String(repeating: "\u{301}", count: 10_000)
        #expect(TextCells.shown(text).unicodeScalars.count <= DiagramLimits.scalarsPerCellMax)
    }

    @Test func `sizes follow from cells`() {
        let short = DiagramMetrics.size(of: .atomic, text: "a")
        let long = DiagramMetrics.size(of: .atomic, text: String(repeating: "a", count: 20))
        #expect(short.width == DiagramMetrics.nodeWidth)
        #expect(long.width == (20 * 0.61 * 13 + 26).rounded(.up))
        #expect(DiagramMetrics.size(of: .history, text: "H").width == DiagramMetrics.historySize)
    }
}
