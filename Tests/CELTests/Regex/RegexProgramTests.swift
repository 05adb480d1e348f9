import Foundation
import Testing

@testable import CEL

struct RegexProgramTests {
    private func matches(_ pattern: String, _ text: String) throws -> Bool {
        var budget = Budget(limits: .unlimited)
        return try RegexProgram(pattern).matches(text, &budget)
    }

    private func regexFault(_ pattern: String) -> RegexFault? {
        do throws(RegexFault) {
            _ = try RegexProgram(pattern)
            return nil
        } catch {
            return error
        }
    }

    @Test(arguments: [
        ("", "", true), ("a", "bab", true), ("^a", "ba", false), ("a$", "ab", false),
        ("^$", "", true),
        ("a|b|", "x", true), ("^(ab|c)+$", "abcab", true), ("^(ab|c)+$", "abca", false),
        ("a*?b", "aab", true),
        ("^a{2}$", "aa", true), ("^a{2,3}$", "aaaa", false), ("^a{2,}$", "aaaa", true),
        ("^a{0}$", "", true),
        ("a{,2}", "a{,2}", true), ("x{a}", "x{a}", true), ("^.$", "\n", false),
        ("(?s)^.$", "\n", true),
        ("(?m)^b$", "a\nb\nc", true), ("^b$", "a\nb\nc", false), ("(?i)ABC", "abC", true),
        ("(?i:a)B", "AB", true),
        ("(?i:a)B", "Ab", false), ("a(?i)b", "aB", true), ("(a(?i)b)c", "aBC", false),
        ("(?i)\u{C4}", "\u{E4}", true),
        ("(?-i)a", "A", false), ("[a-c]", "d", false), ("[^a-c]", "d", true), ("[]a]", "]", true),
        ("[a-]", "-", true),
        ("[\\d-x]", "5", true), ("[[:alpha:]_]", "_", true), ("[[:^alpha:]]", "a", false),
        ("[\\]]", "]", true),
        ("\\d\\D\\w\\W\\s\\S", "1aa- b", true), ("\\bfoo\\b", "a foo b", true),
        ("\\bfoo\\b", "afoo", false), ("\\Boo", "foo", true),
        ("\\Aab\\z", "ab", true), ("\\x41\\x{1F600}\\101", "A\u{1F600}A", true),
        ("\\Qa.b\\E.", "a.bc", true), ("\\Qa.b", "axb", false),
        ("\\pL\\p{Nd}", "\u{E4}\u{663}", true), ("\\PL", "a", false), ("\\p{^Lu}", "A", false),
        ("[^\\pL]", "1", true),
        ("(?P<name>a)(?<other>b)", "ab", true), ("\\.\\*\\_\\/", ".*_/", true),
        ("\\a\\f\\t\\n\\r\\v", "\u{7}\u{C}\t\n\r\u{B}", true),
        ("(a*)*$", "b", true), ("(|a)+b", "aab", true), ("\u{1F600}+", "x\u{1F600}", true),
        ("(?U)a+", "a", true), ("\\p{Any}", "x", true),
        ("\\v", "\n", false), ("[[:word:]]", "-", false), ("(?i)[k-l]", "\u{212A}", true),
        ("^\\S+@\\S+\\.\\w{2,}$", "a@b.de", true),
        ("^\\Qab\\E+$", "abb", true), ("^\\Qab\\E+$", "abab", false), ("^a\\Q\\E{2}$", "aa", true),
        ("^a(?i)+$", "aa", true), ("^(?i)ab+$", "aBB", true), ("a{", "a{", true),
        ("{a}", "{a}", true),
        ("(?)a", "a", true), ("(?-i:a)", "A", false),
    ])
    func `a text matches or not`(pattern: String, text: String, expected: Bool) throws {
        #expect(try matches(pattern, text) == expected)
    }

    @Test(arguments: [
        ("(", "no ')'"), (")", "no '('"), ("[a", "no ']'"), ("a**", "repeated"),
        ("*a", "nothing to repeat"),
        ("a{1001}", "above 1000"), ("a{3,2}", "count is wrong"), ("\\", "at the end"),
        ("\\q", "no escape"), ("\\1", "references"),
        ("(?=a)", "can't begin"), ("(?<!a)", "name of a group"), ("(?<n", "name of a group"),
        ("(?i", "no ')'"), ("[b-a]", "backwards"),
        ("[[:nope:]]", "no class"), ("\\p{Greek}", "general categories"), ("\\p{", "no '}'"),
        ("\\pX", "general categories"),
        ("\\x", "two digits"), ("\\x{110000}", "code point"), ("\\x{}", "code point"),
        ("{2}", "nothing to repeat"), ("a|{2,}", "nothing to repeat"),
        ("({1,2})", "nothing to repeat"),
        ("(?i)*", "nothing to repeat"), ("\\Q\\E+", "nothing to repeat"), ("a*(?i)*", "repeated"),
        ("a*\\Q\\E*", "repeated"), ("(?P<n>a)(?<n>b)", "there twice"), ("(?i-)a", "no flags"),
        ("(?-:a)", "no flags"), ("(?P=a)", "name of a group"), ("[a\\", "at the end"),
        ("\\C", "no escape"),
    ])
    func `a wrong expression has a message`(pattern: String, message: String) {
        #expect(
            regexFault(pattern)?.message.contains(message) == true,
            "\(regexFault(pattern)?.message ?? "")")
    }

    @Test func `random expressions match as the system's do`() throws {
        var random = SeededNumbers(state: 11)
        let words = [
            "a", "b", "ab", ".", "[ab]", "[^a]", "(", ")", "|", "*", "+", "?", "{2}", "^", "$",
            "\\b",
        ]
        var count = 0
        for _ in 0..<3_000 {
            let pattern = (0..<Int.random(in: 1...7, using: &random)).map { _ in
                words.randomElement(using: &random) ?? ""
            }.joined()
            // `++` and the like are possessive there, and an error here.
            guard let program = try? RegexProgram(pattern),
                let other = try? NSRegularExpression(pattern: pattern)
            else { continue }
            for _ in 0..<4 {
                let text = (0..<Int.random(in: 0...6, using: &random)).map { _ in
                    ["a", "b", "c"].randomElement(using: &random) ?? ""
                }.joined()
                count += 1
                var budget = Budget(limits: .unlimited)
                let found = try program.matches(text, &budget)
                let range = NSRange(location: 0, length: text.utf16.count)
                #expect(
                    found == (other.firstMatch(in: text, range: range) != nil),
                    "\(pattern) in \(text)")
            }
        }
        #expect(count > 2_000)
    }

    @Test func `the parts of an expression are few`() throws {
        #expect(try RegexProgram("a|b").instructions.count == 5)
        #expect(try RegexProgram("[a-z]{3}").sets.count == 3)
        guard case .alternatives(let branches) = try RegexParser.parse("a|b|c") else {
            Issue.record("no alternatives")
            return
        }
        #expect(branches.count == 3)
        if case RegexNode.empty = try RegexParser.parse("(?i)") {
        } else {
            Issue.record("flags alone aren't empty")
        }
        #expect(ScalarSet.any.contains("\n") && !ScalarSet.anyButNewline.contains("\n"))
        #expect(CategoryName("Lu")?.contains("A") == true && CategoryName("") == nil)
        #expect(CategoryName("L")?.contains("1") == false)
        var budget = Budget(limits: .unlimited)
        var matcher = RegexMatcher(try RegexProgram("b"))
        let found = try matcher.search("ab", &budget)
        #expect(found)
    }
}
