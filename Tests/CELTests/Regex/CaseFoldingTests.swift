import Testing

@testable import CEL

/// The foldings of all code points were compared with those of Unicode 17, `CaseFolding.txt` with
/// the statuses C and S, as the regular expressions of V8 with the flags `iu` apply them.
struct CaseFoldingTests {
    @Test(arguments: [
        "k K \u{212A}", "s S \u{17F}", "\u{3C3} \u{3C2} \u{3A3}", "\u{1C4} \u{1C5} \u{1C6}",
        "\u{DF} \u{1E9E}", "\u{B5} \u{3BC} \u{39C}", "\u{1F80} \u{1F88}", "\u{13A0} \u{AB70}",
        "\u{345} \u{399} \u{3B9} \u{1FBE}", "\u{10D0} \u{1C90}", "a A", "\u{130}", "\u{131}",
        "1", "\u{149}", "\u{3042}",
    ])
    func `letters that differ in case alone stand for one another`(letters: String) {
        let group = letters.unicodeScalars.filter { $0 != " " }
        for scalar in group {
            #expect(Set([scalar] + CaseFolding.others(of: scalar)) == Set(group), "\(scalar)")
        }
    }

    @Test func `all letters of a group have the same group`() {
        var count = 0
        for number in 0...UInt32(0x10FFFF) {
            guard let scalar = Unicode.Scalar(number) else { continue }
            let others = CaseFolding.others(of: scalar)
            guard !others.isEmpty else { continue }
            count += 1
            let group = Set([scalar] + others)
            #expect(group.count == others.count + 1)
            for other in others {
                #expect(Set([other] + CaseFolding.others(of: other)) == group, "\(scalar)")
            }
        }
        #expect(count > 2_800)
    }

    @Test(arguments: [
        ("^[^k]$", "\u{212A}", false), ("^[^\u{212A}]$", "k", false), ("^[^a]$", "B", true),
        ("^[j-l]$", "\u{212A}", true), ("^\u{131}$", "I", false), ("^I$", "\u{131}", false),
        ("^i$", "\u{130}", false), ("^ss$", "\u{DF}", false), ("^\\p{Lu}$", "a", true),
        // What a negated class leaves out, it leaves out in any case.
        ("^\\P{Lu}$", "a", false), ("^[[:^lower:]]$", "A", false), ("^\\w$", "\u{17F}", true),
        ("^\\W$", "\u{17F}", false), ("^[^\\W]$", "\u{17F}", true), ("^[^[:^digit:]]$", "5", true),
    ])
    func `classes have all cases of their letters`(
        pattern: String, text: String, expected: Bool
    ) throws {
        var budget = Budget(limits: .unlimited)
        #expect(try RegexProgram("(?i)" + pattern).matches(text, &budget) == expected)
    }
}
