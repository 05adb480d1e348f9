import Testing

@Suite("Naming")
struct NamingTests {
    private static let sources = SourceTree.swift.filter { $0.path.hasPrefix("Sources/") }

    @Test func `a type that other files use has a file of its name`() {
        #expect(NamingRules.typeFiles(Self.sources).listed == "")
    }

    @Test func `a type in a file of another name is found where it is used elsewhere`() {
        let used = planted(
            "public struct Found {}", "struct Alone {}", "private enum Mine {}",
            at: "Sources/A/Other.swift")
        let user = planted("let x: Found", "// Alone", "let y = Mine", at: "Sources/A/User.swift")
        let named = planted("struct User {}", at: "Sources/A/User+More.swift")
        #expect(NamingRules.typeFiles([used, user, named]).map(\.line) == [1])
    }

    @Test func `bounds are declared in Limits files`() {
        #expect(Self.sources.flatMap(NamingRules.bounds).listed == "")
    }

    @Test func `a bound elsewhere is found`() {
        let lines = ["    static let bytesMax = 1", "    public static var rowsPerTurn: Int { 2 }"]
        func found(at path: String) -> [Int] {
            let text = lines.joined(separator: "\n")
            return NamingRules.bounds(SourceFile(path: path, text: text)).map(\.line)
        }
        #expect(found(at: "Sources/A/A.swift") == [1, 2])
        #expect(found(at: "Sources/A/Limits.swift") == [])
        #expect(found(at: "Tests/A/A.swift") == [])
    }

    @Test func `the words of the glossary are used`() {
        let others = ["Sources", "Tests", "Benchmarks", "Examples", "Python"]
        let pages = SourceTree.markdown + SourceTree.files(under: others) { $0.hasSuffix(".md") }
        #expect(pages.flatMap(WordRules.prose).listed == "")
        #expect(Self.sources.flatMap(WordRules.comments).listed == "")
        let tests = SourceTree.swift.filter { $0.path.hasPrefix("Tests/") }
        #expect(tests.flatMap(WordRules.comments).listed == "")
    }

    @Test func `a replaced word is found, over the end of a line too`() {
        let page = planted("# A", "It goes", "on. `goes on`", "He Begins ANEW.", at: "docs/a.md")
        #expect(WordRules.prose(page).map(\.line) == [2, 4, 4])
        let file = planted("let s = \"goes on\"", "/// So", "/// many bytes.")
        #expect(WordRules.comments(file).map(\.line) == [2])
    }
}
