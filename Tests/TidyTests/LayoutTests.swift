import Testing

@Suite("Layout")
struct LayoutTests {
    @Test func `no line is longer than 100 columns`() {
        #expect(SourceTree.swift.flatMap(LayoutRules.lineLengths).listed == "")
    }

    @Test func `no file is longer than 600 lines`() {
        #expect(SourceTree.swift.flatMap(LayoutRules.fileLength).listed == "")
    }

    @Test func `no function is longer than 60 lines`() {
        #expect(SourceTree.swift.flatMap(LayoutRules.functionLengths).listed == "")
    }

    @Test func `no merge was left unfinished`() {
        let files = SourceTree.swift + SourceTree.markdown
        #expect(files.flatMap(LayoutRules.conflictMarkers).listed == "")
    }

    @Test func `the marks of a merge are found`() {
        let file = planted("a", "<<<<<<< HEAD", "b", "=======", "c", ">>>>>>> other")
        #expect(LayoutRules.conflictMarkers(file).map(\.line) == [2, 6])
    }

    @Test func `a line of 101 columns is found, one of 100 is not`() {
        let file = planted(
            String(repeating: "a", count: 100), String(repeating: "b", count: 101),
            String(repeating: "ü", count: 100))
        #expect(LayoutRules.lineLengths(file).map(\.line) == [2])
    }

    @Test func `a file of 601 lines is found, one of 600 is not`() {
        let line = "let x = 1\n"
        let fits = SourceFile(path: "A.swift", text: String(repeating: line, count: 600))
        let long = SourceFile(path: "A.swift", text: String(repeating: line, count: 601))
        #expect(LayoutRules.fileLength(fits).isEmpty)
        #expect(LayoutRules.fileLength(long).count == 1)
    }

    @Test(arguments: [
        "func f() {", "public init(a: Int = { 1 }()) {", "static func g<T>(", "deinit {",
    ])
    func `a function of 61 lines is found, one of 60 is not`(declaration: String) {
        let opening =
            declaration.hasSuffix("(")
            ? [declaration, "    _ t: T", ") where T: P {"] : [declaration]
        func function(lines: Int) -> SourceFile {
            let body = Array(repeating: "    x()", count: lines - opening.count - 1)
            let text = ["struct S {"] + opening + body + ["}", "}"]
            return planted(text.joined(separator: "\n"))
        }
        #expect(LayoutRules.functionLengths(function(lines: 60)).isEmpty)
        #expect(LayoutRules.functionLengths(function(lines: 61)).map(\.line) == [2])
    }

    @Test func `a requirement without a body isn't a function with the next one's`() {
        let file = planted("protocol P {", "    func f(_ x: Int) throws", "    func g()", "}")
        #expect(LayoutRules.functions(of: file.swift.code).isEmpty)
    }

    @Test func `braces in strings and comments don't count`() {
        let file = planted("func f() {", "    g(\"}}}\") // }", "    /* } */", "}", "func h() {}")
        let functions = LayoutRules.functions(of: file.swift.code)
        #expect(functions.map(\.line) == [1, 5])
        #expect(functions.map(\.lines) == [4, 1])
    }
}

/// A file with these lines, to prove a rule with.
func planted(_ lines: String..., at path: String = "Sources/GroveEngine/A.swift") -> SourceFile {
    SourceFile(path: path, text: lines.joined(separator: "\n"))
}

extension [Problem] {
    /// One line a problem, so that a failing test shows what to mend.
    var listed: String { map(\.description).joined(separator: "\n") }
}
