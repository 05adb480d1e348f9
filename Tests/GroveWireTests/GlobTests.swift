import GroveTestSupport
import GroveWire
import Testing

@Suite("Glob")
struct GlobTests {
    @Test(arguments: [
        ("", "", true), ("", "a", false), ("*", "", true), ("*", "abc", true), ("a*", "abc", true),
        ("a*c", "abc", true), ("a*c", "abd", false), ("?", "", false), ("?", "é", true),
        ("??", "é", false), ("*?", "a", true), ("a*b*c", "a-b-b-c", true), ("*.x", "a.x.x", true),
        ("**", "a", true), ("a?c", "abc", true), ("a\\*", "a*", false), ("é*", "école", true),
    ])
    func `globs`(pattern: String, text: String, fits: Bool) {
        #expect(Glob(pattern).matches(text.utf8) == fits)
    }

    @Test func `a hostile glob is matched quickly`() {
        let pattern = Glob(String(repeating: "*a", count: 100) + "b")
        #expect(!pattern.matches(String(repeating: "a", count: 200).utf8))
    }

    @Test(arguments: [
        ("", true, "", false), ("abc", true, "abc", false), ("*", false, "", true),
        ("**", false, "", true), ("a*", false, "a", false), ("?", false, "", false),
        ("é?", false, "é", false),
    ])
    func `a pattern knows its literal part`(
        pattern: String, isLiteral: Bool, prefix: String, matchesAll: Bool
    ) {
        #expect(Glob(pattern).isLiteral == isLiteral)
        #expect(Glob(pattern).literalPrefix == prefix)
        #expect(Glob(pattern).matchesAll == matchesAll)
    }
}
