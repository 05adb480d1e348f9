import GroveWire
import Testing

/// What an op needs besides code that the compiler asks for. Golden conversations are held by
/// `ConversationTests/CoverageTests`.
@Suite("Ops")
struct OpTests {
    private static let ops = Op.allCases.map(\.rawValue)

    @Test func `the protocol page has a section about every op, and a row in its table`() throws {
        let page = try #require(SourceTree.file(at: "docs/reference/protocol.md"))
        #expect(OpRules.sections(Self.ops, page: page).listed == "")
    }

    @Test func `the page of the command line has every op's command`() throws {
        let page = try #require(SourceTree.file(at: "docs/reference/cli.md"))
        #expect(OpRules.commands(Self.ops, page: page).listed == "")
    }

    @Test func `the tool lists every op's command`() throws {
        let file = try #require(SourceTree.file(at: "Sources/GroveCommands/RootCommand.swift"))
        #expect(OpRules.commandList(Self.ops, file: file).listed == "")
    }

    @Test func `the changelog names every op`() throws {
        let page = try #require(SourceTree.file(at: "CHANGELOG.md"))
        #expect(OpRules.changelog(Self.ops, page: page).listed == "")
    }

    @Test func `the Swift client makes requests of every op`() {
        let files = SourceTree.swift.filter { $0.path.hasPrefix("Sources/GroveClient/") }
        #expect(OpRules.swiftClient(Self.ops, files: files).listed == "")
    }

    @Test func `the client for Python makes requests of every op`() throws {
        let file = try #require(SourceTree.file(at: "Python/grove_client.py"))
        #expect(OpRules.pythonClient(Self.ops, file: file).listed == "")
    }

    @Test func `the client for JavaScript makes requests of every op, and has their types`()
        throws
    {
        let file = try #require(SourceTree.file(at: "JavaScript/grove.js"))
        #expect(OpRules.javaScriptClient(Self.ops, file: file).listed == "")
        let types = try #require(SourceTree.file(at: "JavaScript/grove.d.ts"))
        #expect(OpRules.javaScriptTypes(Self.ops, file: types).listed == "")
    }

    @Test func `the page of grants says what every op takes`() throws {
        let page = try #require(SourceTree.file(at: "docs/reference/grants.md"))
        #expect(OpRules.grants(Self.ops, page: page).listed == "")
    }

    @Test func `the page of clients says of every op whether it is sent again`() throws {
        let page = try #require(SourceTree.file(at: "docs/clients.md"))
        #expect(OpRules.sentAgain(Self.ops, page: page).listed == "")
    }

    @Test func `the page about new ops names places that exist`() throws {
        let page = try #require(SourceTree.file(at: "docs/internals/adding-an-op.md"))
        #expect(OpRules.places(page: page, exists: SourceTree.exists).listed == "")
    }

    @Test func `a forgotten op is found`() {
        let page = planted(
            "# Ops", "| [`list`](#list), [`get`](#get) | read |", "### get", "### can",
            "## `grove get TO`, `grove stop TO`", at: "docs/a.md")
        #expect(OpRules.sections(["get"], page: page).isEmpty)
        #expect(OpRules.sections(["get", "can", "list"], page: page).count == 2)
        #expect(OpRules.commands(["get", "stop", "list", "hello"], page: page).count == 1)
        let list = planted("subcommands: [Get.self, Watch.self]", at: "Sources/A/Root.swift")
        #expect(OpRules.commandList(["get", "subscribe", "stop"], file: list).count == 1)
        let changes = planted("- An op `get`, and list.", at: "CHANGELOG.md")
        #expect(OpRules.changelog(["get", "list"], page: changes).count == 1)
        let swift = planted("Request(.get)", "about(name, .stop)", "let list = 1")
        #expect(OpRules.swiftClient(["get", "list"], files: [swift]).count == 1)
        let python = planted("self._call(\"get\", {})", "\"list\"", at: "Python/a.py")
        #expect(OpRules.pythonClient(["get", "list", "import"], file: python).count == 1)
        let script = planted("['get', ['to']], ['listed', []],", at: "JavaScript/a.js")
        #expect(OpRules.javaScriptClient(["get", "list"], file: script).count == 1)
        let types = planted("export class", "  get<S>(to: string)", at: "JavaScript/a.d.ts")
        #expect(OpRules.javaScriptTypes(["get", "list", "hello"], file: types).count == 1)
        let grants = planted("| `get`, `stop` | `list` |", at: "docs/a.md")
        #expect(OpRules.grants(["get", "stop", "list"], page: grants).count == 1)
        #expect(OpRules.sentAgain(["get", "list", "send", "hello"], page: grants).count == 1)
    }

    @Test func `a place that isn't there is found`() {
        let page = planted(
            "`Sources/None` in prose", "| 1 | `Touch.swift` in `Sources/A` | `A/BTests`, `x` |",
            at: "docs/a.md")
        let there: Set<String> = ["Sources/A", "Tests/A/BTests.swift"]
        #expect(OpRules.places(page: page, exists: there.contains).isEmpty)
        #expect(OpRules.places(page: page) { _ in false }.count == 2)
    }
}
