import Testing

@testable import GroveHTTP

@Suite("HTTPTarget")
struct HTTPTargetTests {
    private func segments(_ path: String) -> String {
        switch HTTPTarget.segments(of: Array(path.utf8)) {
        case .success(let parts):
            parts.map { String(decoding: $0, as: UTF8.self) }.joined(separator: "|")
        case .failure(let refusal): "\(refusal.status)"
        }
    }

    @Test(arguments: [
        ("/", ""), ("/a/b", "a|b"), ("/a%20b", "a b"), ("/%C3%A4", "ä"), ("/a%2Bb+c", "a+b+c"),
        ("//a", "404"), ("/a/", "404"), ("/a//b", "404"), ("/.", "404"), ("/a/../b", "404"),
        ("/%2e%2e", "404"), ("/a%2Fb", "400"), ("/a%2fb", "400"), ("/%00", "400"), ("/%0a", "400"),
        ("/%7F", "400"), ("/%", "400"), ("/%4", "400"), ("/%4g", "400"), ("/%ff", "400"),
        ("/%252F", "%2F"), ("a", "400"),
    ])
    func `segments are decoded once, and nothing is normalised`(path: String, expected: String) {
        #expect(segments(path) == expected)
    }

    @Test(arguments: [
        ("", ""), ("a=1&b=2", "a:1|b:2"), ("a", "a:"), ("a=", "a:"), ("a=b=c", "a:b=c"),
        ("a=%26%3D", "a:&="), ("a=+", "a:+"), ("a=1&a=2", "400"), ("=1", "400"), ("a=1&", "400"),
        ("a=%zz", "400"), ("%61=1", "a:1"), ("a=%00", "400"),
    ])
    func `a query has names and values`(query: String, expected: String) {
        let text =
            switch HTTPTarget.query(Array(query.utf8)) {
            case .success(let pairs):
                pairs.map { "\($0.name):\($0.value)" }.joined(separator: "|")
            case .failure(let refusal): "\(refusal.status)"
            }
        #expect(text == expected)
    }

    @Test func `what is escaped is read back`() {
        let text = "a b&c=d/é%+"
        let query = Array("x=".utf8) + PercentEscape.of(text)
        guard case .success(let pairs) = HTTPTarget.query(query) else {
            Issue.record("refused")
            return
        }
        #expect(pairs.first?.value == text)
    }
}
