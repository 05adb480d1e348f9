import GroveEngine
import Testing

@Suite("EditDistance")
struct EditDistanceTests {
    @Test(arguments: [
        ("", "", 0), ("abc", "abc", 0), ("", "abc", 3), ("abc", "", 3), ("abc", "abd", 1),
        ("abc", "ab", 1), ("abc", "xabc", 1), ("abc", "acb", 1), ("abcd", "badc", 2),
        ("kitten", "sitting", 3), ("äö", "öä", 1),
    ])
    func `the distance counts the changed letters, in both directions`(
        first: String, second: String, steps: Int
    ) {
        #expect(EditDistance.between(first, second) == steps)
        #expect(EditDistance.between(second, first) == steps)
    }

    @Test func `long words are compared by their beginnings`() {
        let long = String(repeating: "a", count: 100_000)
        #expect(EditDistance.between(long, long + "b") == 0)
        #expect(EditDistance.between(long, "") == Limits.comparedLettersMax)
    }

    @Test func `the nearest is the first of the near ones`() {
        let words = ["abc", "abd", "xyz"]
        #expect(EditDistance.nearest(to: "abx", of: words) { _ in 1 } == "abc")
        #expect(EditDistance.nearest(to: "abd", of: words) { _ in 1 } == "abd")
        #expect(EditDistance.nearest(to: "q", of: words) { _ in 1 } == nil)
    }

    @Test(arguments: [
        ("lst", "list"), ("sedn", "send"), ("histroy", "history"), ("desc", "describe"),
        ("SEND", "send"),
        ("de", nil), ("frobnicate", nil), ("d", nil), ("", nil),
        (String(repeating: "x", count: 1_000_000), nil),
    ])
    func `a suggestion is near, or begins alike`(word: String, meant: String?) {
        let words = ["send", "list", "history", "describe", "delete"]
        #expect(EditDistance.meant(by: word, of: words) == meant)
    }
}
