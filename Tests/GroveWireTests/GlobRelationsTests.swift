import GroveTestSupport
import GroveWire
import Testing

@Suite("relations of globs")
struct GlobRelationsTests {
    @Test(arguments: [
        ("", "", true), ("", "a", false), ("*", "", true), ("a", "a", true), ("a", "b", false),
        ("a*", "*b", true), ("a*", "b*", false), ("a?", "?b", true), ("a?", "a", false),
        ("*a*", "*b*", true), ("a*c", "ab*", true), ("?", "", false), ("??", "a*", true),
    ])
    func `two patterns have a common text, or none`(one: String, other: String, do overlap: Bool) {
        #expect(Glob(one).overlaps(Glob(other)) == overlap)
        #expect(Glob(other).overlaps(Glob(one)) == overlap)
    }

    @Test(arguments: [
        ("*", "", true), ("", "*", false), ("*", "a*b?", true), ("a*", "ab", true),
        ("a*", "a*b", true), ("a*", "*", false), ("?*", "*?", true), ("*?", "?*", true),
        ("?", "*", false), ("??", "?", false), ("a?c", "abc", true), ("a?c", "a*c", false),
        ("**", "*", true), ("*b*", "a*b?", true), ("*a*b", "ab*b", true), ("", "", true),
    ])
    func `a pattern covers another, or not`(one: String, other: String, covers: Bool) {
        #expect(Glob(one).covers(Glob(other)) == covers)
    }

    /// All texts of two letters and a third one that no pattern has, up to five letters.
    private static let texts: [String] = (0...5).reduce(into: [[""]]) { levels, _ in
        let last = levels[levels.count - 1]
        levels.append(last.flatMap { text in ["a", "b", "x"].map { text + $0 } })
    }.flatMap { $0 }

    @Test(arguments: [1, 2, 3] as [UInt64])
    func `both relations agree with all short texts`(seed: UInt64) {
        print("seed \(seed): swift test --disable-xctest --filter 'agree with all short texts'")
        var random = SeededRandom(seed: seed)
        func pattern() -> Glob {
            let count = Int.random(in: 0...4, using: &random)
            let letters = (0..<count).map { _ in
                ["a", "b", "?", "*"].randomElement(using: &random) ?? "a"
            }
            return Glob(letters.joined())
        }
        for _ in 0..<150 {
            let (one, other) = (pattern(), pattern())
            let ones = Self.texts.filter { one.matches($0.utf8) }
            let others = Set(Self.texts.filter { other.matches($0.utf8) })
            // Two patterns of up to four letters that overlap have a common text of up to five.
            let common = ones.contains { others.contains($0) }
            if common { #expect(one.overlaps(other), "\(one.pattern) \(other.pattern)") }
            if one.pattern.count + other.pattern.count <= 6 {
                #expect(one.overlaps(other) == common, "\(one.pattern) \(other.pattern)")
            }
            let isPart = others.isSubset(of: ones)
            #expect(one.covers(other) == isPart, "\(one.pattern) \(other.pattern)")
        }
    }
}
