import OrderedJSON
import Testing

@Suite("Documents")
struct DocumentTests {
    static let errorFolder = "docs/reference/errors"
    static let errorPages = SourceTree.markdown.filter { $0.path.hasPrefix("\(errorFolder)/") }

    @Test func `every page has exactly one title`() {
        #expect(SourceTree.markdown.flatMap(DocumentRules.title).listed == "")
    }

    @Test func `prose is wrapped at about 100 columns`() {
        #expect(SourceTree.markdown.flatMap(DocumentRules.proseWidth).listed == "")
    }

    @Test func `every link leads somewhere`() {
        let problems = SourceTree.markdown.flatMap {
            DocumentRules.links($0, exists: SourceTree.exists, page: SourceTree.file)
        }
        #expect(problems.listed == "")
    }

    @Test func `every path in a code span is there`() {
        // Decisions and changes name the files of their time, the tutorial those of its program.
        let pages = SourceTree.markdown.filter {
            !$0.path.hasPrefix("docs/decisions/")
                && !["CHANGELOG.md", "docs/hosting.md"].contains($0.path)
        }
        #expect(pages.flatMap { DocumentRules.paths($0, exists: SourceTree.exists) }.listed == "")
    }

    @Test func `a path in a code span that isn't there is found`() {
        let page = planted(
            "# A", "see `Sources/A/A.swift` and `A/A.swift`", "`Sources/A/B.swift`", "`A/B.swift`",
            "`grove/x` `Sources` `a/b.txt` `Tests/<NAME>`", at: "docs/a.md")
        let problems = DocumentRules.paths(page) { $0 == "Sources/A/A.swift" }
        #expect(problems.map(\.line) == [3, 4])
    }

    @Test func `every page that a comment names exists, with its heading`() {
        let pages = SourceTree.markdown.filter { $0.path.hasPrefix("docs/") }
        let files = SourceTree.swift.filter { !$0.path.hasPrefix("Tests/TidyTests/") }
        let problems = files.flatMap { DocumentRules.references($0, pages: pages) }
        #expect(problems.listed == "")
    }

    @Test func `a page that a comment names and that isn't there is found`() {
        let page = planted("# A", "## `Reading` it", "| P8 | x |", at: "docs/a.md")
        func problems(_ comment: String...) -> Int {
            let file = SourceFile(path: "Sources/A/A.swift", text: comment.joined(separator: "\n"))
            return DocumentRules.references(file, pages: [page]).count
        }
        #expect(problems("/// As it says (a.md).") == 0)
        #expect(problems("/// As it says (docs/a.md, P8).") == 0)
        #expect(problems("/// As it says (a.md, \"Reading", "/// it\").") == 0)
        #expect(problems("/// As it says (b.md).") == 1)
        #expect(problems("/// As it says (a.md, P9).") == 1)
        #expect(problems("/// As it says (a.md, \"Writing\").") == 1)
        #expect(problems("let page = \"b.md\"") == 0)
    }

    @Test func `every error page has the same sections`() {
        let pages = Self.errorPages.filter { $0.name != "README.md" }
        #expect(!pages.isEmpty)
        #expect(pages.flatMap(DocumentRules.errorPageSections).listed == "")
    }

    @Test func `the list of error pages links to each of them`() throws {
        let index = try #require(SourceTree.file(at: "\(Self.errorFolder)/README.md"))
        let linked = Set(MarkdownText(index.text).links.map(\.target))
        for page in Self.errorPages where page.name != "README.md" {
            #expect(linked.contains(page.name))
        }
    }

    @Test func `every configuration key is documented`() throws {
        let config = try #require(SourceTree.file(at: "Config/grove.json"))
        let page = try #require(SourceTree.file(at: "docs/reference/configuration.md"))
        let keys = try JSONValue(parsing: Array(config.text.utf8)).object?.map(\.name) ?? []
        #expect(!keys.isEmpty)
        #expect(DocumentRules.configurationKeys(keys, page: page).listed == "")
    }

    @Test func `a page without a title, or with two, is found`() {
        let none = planted("## A", "text", at: "docs/a.md")
        let two = planted("# A", "```", "# in a block", "```", "# B", at: "docs/a.md")
        let one = planted("# A", "## B", at: "docs/a.md")
        #expect(DocumentRules.title(none).count == 1)
        #expect(DocumentRules.title(two).map(\.line) == [5])
        #expect(DocumentRules.title(one).isEmpty)
    }

    @Test func `a long line is found in prose, but not in a table or a block`() {
        let words = String(repeating: "word ", count: 24)
        let page = planted(words, "| \(words) |", "```", words, "```", at: "docs/a.md")
        #expect(DocumentRules.proseWidth(page).map(\.line) == [1])
    }

    @Test func `a link that leads nowhere is found`() {
        let page = planted(
            "# A", "[good](b.md) and [bad](c.md)", "[up](../../../x.md), `[code](no.md)`",
            "[part](b.md#what-it-does) [none](b.md#nothing) [own](#a) [web](https://example.org)",
            at: "docs/deep/a.md")
        let other = planted("# B", "## What it does", at: "docs/deep/b.md")
        let problems = DocumentRules.links(
            page, exists: { ["docs/deep/a.md", "docs/deep/b.md"].contains($0) },
            page: { $0 == other.path ? other : nil })
        #expect(problems.map(\.line) == [2, 3, 4])
    }

    @Test func `a code without a page and a page without a code are found`() {
        let pages = [
            planted("# A_CODE", at: "\(Self.errorFolder)/A_CODE.md"),
            planted("# OTHER", at: "\(Self.errorFolder)/B_CODE.md"),
            planted("# NO_CODE", at: "\(Self.errorFolder)/NO_CODE.md"),
            planted("# Errors", at: "\(Self.errorFolder)/README.md"),
        ]
        let problems = DocumentRules.errorPages(
            codes: ["A_CODE", "B_CODE", "C_CODE"], pages: pages)
        #expect(
            problems.map(\.path) == [
                "\(Self.errorFolder)/C_CODE.md", "\(Self.errorFolder)/B_CODE.md",
                "\(Self.errorFolder)/NO_CODE.md",
            ])
    }

    @Test func `an error page with other sections is found`() {
        let sections = DocumentRules.errorSections.map { "## \($0)" }.joined(separator: "\n")
        #expect(DocumentRules.errorPageSections(planted("# X", sections)).isEmpty)
        #expect(DocumentRules.errorPageSections(planted("# X", "## Data")).count == 1)
    }

    @Test func `a configuration key without a row is found`() {
        let page = planted("# Keys", "| `a.b` | 1 |", "a.c", at: "docs/a.md")
        #expect(DocumentRules.configurationKeys(["a.b"], page: page).isEmpty)
        #expect(DocumentRules.configurationKeys(["a.c"], page: page).count == 1)
    }
}
