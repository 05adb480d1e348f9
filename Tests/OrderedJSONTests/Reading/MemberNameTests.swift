import GroveTestSupport
import OrderedJSON
import Testing

/// Member names of one object are distinct, by code point after unescaping.
@Suite struct MemberNameTests {
    @Test(arguments: [
        (#"{"a":1,"a":2}"#, 7), (#"{"a":1,"\u0061":2}"#, 7), (#"{"\u0061":1,"a":2}"#, 12),
        (#"{"":1,"":2}"#, 6), (#"{"x":{"a":1,"b":2,"a":3}}"#, 18), (#"[{"a":1, "a":1}]"#, 9),
        (#"{"abcdefgh":1,"abcdefgh":2}"#, 14), (#"{"abcdefghi":1,"abcdefghi":2}"#, 15),
        (#"{"\/":1,"/":1}"#, 8), (#"{"😀":1,"\ud83d\ude00":2}"#, 10), (#"{"é":1,"\u00e9":2}"#, 8),
        (#"{"\u0000":1,"\u0000":1}"#, 12), (#"{"a":{"a":1},"b":[],"a":2}"#, 20),
    ])
    func `the error of a repeated name is at its second opening quote`(text: String, offset: Int) {
        #expect(refusal(of: text) == JSONError(offset: offset, reason: .duplicateName))
    }

    @Test(arguments: [
        #"{"a":1,"A":2}"#, #"{"a":1,"a ":2}"#, #"{"":1," ":2}"#, #"{"a":{"a":{"a":1}}}"#,
        #"{"abcdefgh1":1,"abcdefgh2":2}"#, #"{"abcdefgh":1,"abcdefghi":2}"#, #"[{"a":1},{"a":1}]"#,
        #"{"a\u0000":1,"a":2}"#, #"{"\u0000":1,"":2,"\u0000\u0000":3}"#, #"{"\\u0061":1,"a":2}"#,
    ])
    func `different names are fine, in one object or in several`(text: String) {
        #expect(throws: Never.self) { try parsed(text) }
    }

    @Test func `names that differ only in Unicode normalisation are distinct`() throws {
        let composed = "\u{E9}"
        let decomposed = "e\u{301}"
        #expect(composed == decomposed, "Swift's strings take them as equal")
        let document = try parsed("{\"\(composed)\":1,\"\(decomposed)\":2}")
        #expect(document.count(document.root) == 2)
        let first = document.member(named: composed, of: document.root)
        let second = document.member(named: decomposed, of: document.root)
        #expect(first.flatMap { document.integer($0) } == 1)
        #expect(second.flatMap { document.integer($0) } == 2)
    }

    @Test(arguments: [2, 3, 8, 23, 24, 25, 26, 64, 300])
    func `a repetition is found at any place`(count: Int) throws {
        for style in ["k%", "a long name that ends in %", "\\u006b%", "%"] {
            let names = (0..<count).map { number in
                style.split(separator: "%", omittingEmptySubsequences: false)
                    .joined(separator: String(number))
            }
            #expect(throws: Never.self) { try parsed(object(names)) }
            for (first, second) in [(0, count - 1), (count - 2, count - 1), (0, 1)] {
                var repeated = names
                repeated[second] = names[first]
                let text = object(repeated)
                let before = object(Array(repeated[..<second])).utf8.count
                #expect(
                    refusal(of: text)
                        == JSONError(
                            offset: second == 0 ? 1 : before, reason: .duplicateName))
            }
        }
    }

    @Test func `of several repetitions the first in the text is reported`() {
        let names = (0..<100).map { "k\($0)" } + ["k50", "k3", "k50"]
        let before = object((0..<100).map { "k\($0)" }).utf8.count
        #expect(
            refusal(of: object(names)) == JSONError(offset: before, reason: .duplicateName))
    }

    @Test func `random objects get the verdict of a set of their names`() throws {
        let seed = testSeed("MemberNameTests")
        var random = SeededRandom(seed: seed)
        for _ in 0..<3000 {
            let count = Int.random(in: 0...40, using: &random)
            let range = Int.random(in: 1...2000, using: &random)
            let prefix = Bool.random(using: &random) ? "" : "a common beginning of names "
            let names = (0..<count).map { _ in
                prefix + String(Int.random(in: 0..<range, using: &random), radix: 36)
            }
            let isDistinct = Set(names).count == names.count
            let isAccepted = (try? parsed(object(names))) != nil
            #expect(isAccepted == isDistinct, "seed \(seed): \(names)")
        }
    }

    private func object(_ names: [String]) -> String {
        "{" + names.map { "\"\($0)\":0" }.joined(separator: ",") + "}"
    }
}
