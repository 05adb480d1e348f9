import Testing

@Suite("Test files")
struct TestFileTests {
    @Test func `every source file of a library has tests, or an excuse`() {
        let sources = SourceTree.swift.filter { $0.path.hasPrefix("Sources/") }
        let tests = SourceTree.swift.filter { $0.path.hasPrefix("Tests/") }
        #expect(TestFileRules.untested(sources: sources, tests: tests).listed == "")
    }

    @Test func `a source file that no test names is found, and so is an excuse nobody needs`() {
        let sources = [
            planted("struct Tested {}", at: "Sources/A/Tested.swift"),
            planted("extension Other {}", at: "Sources/A/Other+Topic.swift"),
            planted("", "public final class Named: P {", at: "Sources/A/Whatever.swift"),
            planted("struct Untested {}", at: "Sources/A/Untested.swift"),
            planted("struct Excused {}", at: "Sources/A/Excused.swift"),
            planted("struct Command {}", at: "Sources/GroveCommands/Command.swift"),
        ]
        let tests = [
            planted("", at: "Tests/ATests/TestedTests.swift"),
            planted("", at: "Tests/ATests/TopicTests.swift"),
            planted("let x = Named()", "// Untested", at: "Tests/ATests/SubjectTests.swift"),
            planted("let x = Untested()", at: "Tests/BTests/OfAnotherTargetTests.swift"),
        ]
        let excused = [
            "Sources/A/Excused.swift": "a list", "Sources/A/Tested.swift": "was untested",
            "Sources/A/Gone.swift": "was there",
        ]
        let problems = TestFileRules.untested(sources: sources, tests: tests, excused: excused)
        #expect(
            problems.map(\.path) == [
                "Sources/A/Tested.swift", "Sources/A/Untested.swift", "Sources/A/Gone.swift",
            ])
    }
}
