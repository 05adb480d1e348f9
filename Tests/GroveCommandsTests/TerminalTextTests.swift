import OrderedJSON
import Testing

@testable import GroveCommands

@Suite("TerminalText")
struct TerminalTextTests {
    @Test(arguments: [
        ("plain ä 漢 🌳", "plain ä 漢 🌳"),
        ("\u{1B}[2J", #"\u{1b}[2J"#), ("a\nb\tc", #"a\u{a}b\u{9}c"#),
        ("\u{9B}31m", #"\u{9b}31m"#), ("\u{202E}gnp", #"\u{202e}gnp"#), ("\u{7F}", #"\u{7f}"#),
        ("\u{2066}x\u{2069}", #"\u{2066}x\u{2069}"#), ("\r\n", #"\u{d}\u{a}"#),
    ])
    func `a piece has no control characters`(text: String, expected: String) {
        #expect(TerminalText.piece(text) == expected)
    }

    @Test func `whole lines keep the program's colors and line ends`() {
        let own = "\u{1B}[31merror:\u{1B}[0m x\n  y"
        #expect(TerminalText.lines(own) == own)
        let others = [
            "\u{1B}[2J", "\u{1B}]0;title\u{07}", "\u{1B}[33m", "\u{1B}", "a\rb", "\u{9D}0;t",
        ]
        for other in others {
            let text = TerminalText.lines(own + other + "\n")
            #expect(text.hasPrefix(own) && text.hasSuffix("\n"))
            let rest = text.dropFirst(own.count).dropLast().unicodeScalars
            #expect(rest.allSatisfy { $0.value >= 0x20 && !(0x7F...0x9F).contains($0.value) })
        }
    }

    @Test func `JSON stays the same value`() throws {
        let value: JSONValue = ["name": .string("\u{9B}31m\u{202E}x\u{7F}\u{1B}"), "n": 1]
        let text = TerminalText.json(value.serialized())
        #expect(try JSONValue(parsing: text) == value)
        #expect(text.allSatisfy { (0x20..<0x7F).contains($0) })
        #expect(TerminalText.json(Array(#"{"a":"ä"}"#.utf8)) == Array(#"{"a":"ä"}"#.utf8))
        #expect(TerminalText.json(Array("{\t\"a\":\r1}".utf8)) == Array("{ \"a\": 1}".utf8))
    }
}
