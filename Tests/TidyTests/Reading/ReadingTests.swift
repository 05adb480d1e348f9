import Testing

@Suite("Reading")
struct ReadingTests {
    @Test func `code, comments and strings of Swift are separated`() {
        let text = SwiftText(
            ##"""
            let a = "in // a \(f("x")) string" // note "quoted"
            /* block /* nested */ "still" */ let b = #"raw \( " "#
            let c = """
                three "lines"
                """; let d = 'x'
            """##)
        #expect(text.code.count == 5)
        #expect(text.code[0].hasPrefix("let a = \"(f(\"\"))\" "))
        #expect(text.comments[0] == "// note \"quoted\"")
        #expect(text.comments[1] == "/* block /* nested */ \"still\" */")
        #expect(text.code[1] == " let b = \"\"")
        #expect(text.code[4] == "\"; let d = 'x'")
        #expect(text.literals.map(\.line) == [1, 1, 2, 3])
        #expect(text.literals.map(\.isInterpolated) == [true, false, false, false])
        #expect(text.literals[2].text == "raw \\( \" ")
    }

    @Test func `prose, blocks, headings and links of Markdown are separated`() {
        let text = MarkdownText(
            """
            # One, two
            [a](b.md) `[c](d.md)` ![e](f.png)
            ```json
            # {"x":1} [g](h.md)
            ```
            ## Three
            """)
        #expect(text.headings.map(\.text) == ["One, two", "Three"])
        #expect(text.anchors == ["one-two", "three"])
        #expect(text.links.map(\.target) == ["b.md", "f.png"])
        #expect(
            text.blocks == [
                MarkdownText.Block(line: 3, language: "json", lines: ["# {\"x\":1} [g](h.md)"])
            ])
        #expect(text.codeSpans == ["[c](d.md)"])
    }
}
