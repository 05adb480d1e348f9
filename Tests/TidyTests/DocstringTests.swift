import Testing

@Suite("Docstrings")
struct DocstringTests {
    @Test func `public declarations of products have docstrings`() {
        let files = SourceTree.swift.filter { DocstringRules.isAPI($0.path) }
        #expect(files.flatMap(DocstringRules.undocumented).listed == "")
    }

    @Test func `a public declaration without a docstring is found`() {
        let file = planted(
            "public import A", "/// Does it.", "@inlinable", "public func f() {}",
            "    public static var x = 1", "", "    @inlinable public init() {}", "func g() {}",
            "public extension A {", "open class B {", "/// Does it.", "@available(",
            "*, unavailable", ")", "public func h() {}")
        #expect(DocstringRules.undocumented(file).map(\.line) == [5, 7, 10])
    }

    @Test(arguments: ["Sources/GroveEngine/A.swift", "Tests/A/A.swift"])
    func `internal targets and tests need none`(path: String) {
        #expect(!DocstringRules.isAPI(path))
        #expect(DocstringRules.isAPI("Sources/OrderedJSON/A.swift"))
    }
}
