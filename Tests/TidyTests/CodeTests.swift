import Testing

@Suite("Code")
struct CodeTests {
    @Test func `pure targets read no clock, draw no random numbers and start no tasks`() {
        #expect(SourceTree.swift.flatMap(CodeRules.purity).listed == "")
    }

    @Test func `forced casts and similar code are not used`() {
        #expect(SourceTree.swift.flatMap(CodeRules.forbiddenText).listed == "")
    }

    @Test func `unchecked concurrency is only where machines run, with a reason`() {
        #expect(SourceTree.swift.flatMap(CodeRules.unchecked).listed == "")
    }

    @Test(arguments: ["@unchecked Sendable {", "nonisolated(unsafe) let y = x"])
    func `unchecked concurrency is found elsewhere, and without a reason`(text: String) {
        let running = "Sources/Transducers/InProcess/Locked.swift"
        #expect(CodeRules.unchecked(planted("// Why.", text, at: running)).isEmpty)
        #expect(CodeRules.unchecked(planted("/// What.", text, at: running)).count == 1)
        #expect(CodeRules.unchecked(planted("// Why.", text)).count == 1)
    }

    @Test func `only the tool prints`() {
        #expect(SourceTree.swift.flatMap(CodeRules.printing).listed == "")
    }

    @Test func `no comment postpones work`() {
        #expect(SourceTree.swift.flatMap(CodeRules.postponedWork).listed == "")
    }

    @Test func `no SQL text contains a value`() {
        #expect(SourceTree.swift.flatMap(CodeRules.interpolatedSQL).listed == "")
    }

    @Test(arguments: CodeRules.impure.map(\.call))
    func `an impure call is found in a pure target only`(call: String) {
        let line = "let x = \(call)"
        #expect(CodeRules.purity(planted("", line)).map(\.line) == [2])
        #expect(CodeRules.purity(planted(line, at: "Sources/GroveServer/A.swift")).isEmpty)
        #expect(CodeRules.purity(planted("// \(line)", "let s = \"\(line)\"")).isEmpty)
    }

    @Test func `a longer word isn't an impure call`() {
        let file = planted(
            "SeededRandom(", "myrandom(", "let lastUpDate = Date", "case Task", "x.now")
        #expect(CodeRules.purity(file).isEmpty)
    }

    @Test(arguments: CodeRules.forbidden.map(\.text))
    func `forbidden text is found in every target, tests too`(text: String) {
        for path in ["Sources/GroveServer/A.swift", "Tests/GroveServerTests/A.swift"] {
            #expect(CodeRules.forbiddenText(planted("let x = \(text) y", at: path)).count == 1)
        }
        #expect(CodeRules.forbiddenText(planted("/// \(text)", "\"\(text)\"")).isEmpty)
    }

    @Test func `printing is found outside the tool`() {
        let line = "print(1)"
        #expect(CodeRules.printing(planted(line)).count == 1)
        #expect(CodeRules.printing(planted(line, at: "Sources/GroveCommands/A.swift")).isEmpty)
        #expect(CodeRules.printing(planted("fingerprint(1)", "debugPrint(1)")).isEmpty)
    }

    @Test(arguments: CodeRules.postponed)
    func `postponed work is found in comments only`(word: String) {
        #expect(CodeRules.postponedWork(planted("x() // \(word): later")).map(\.line) == [1])
        #expect(CodeRules.postponedWork(planted("/*", "\(word) */")).map(\.line) == [2])
        #expect(CodeRules.postponedWork(planted("let s = \"\(word)\"")).isEmpty)
    }

    @Test func `SQL with a value in its text is found`() {
        let path = "Sources/GroveStorage/A.swift"
        let bad = planted(
            #"run("SELECT * FROM t WHERE name = '\(name)'")"#, #"run(""""#, #"  DELETE FROM \(t)"#,
            #"  """)"#, at: path)
        #expect(CodeRules.interpolatedSQL(bad).map(\.line) == [1, 2])
        let good = planted(
            #"run("SELECT * FROM t WHERE name = ?1")"#, #"log("SELECTED \(name)")"#, at: path)
        #expect(CodeRules.interpolatedSQL(good).isEmpty)
    }
}
