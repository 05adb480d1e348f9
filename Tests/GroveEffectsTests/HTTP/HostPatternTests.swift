import Testing

@testable import GroveEffects

@Suite("Patterns of hosts")
struct HostPatternTests {
    @Test(arguments: [
        ("api.example.com", "https://api.example.com/x", true),
        ("API.example.COM", "https://api.EXAMPLE.com/x", true),
        ("api.example.com", "http://api.example.com/", true),
        ("api.example.com", "https://api.example.com:8443/", false),
        ("api.example.com", "http://api.example.com:443/", false),
        ("api.example.com", "https://x.api.example.com/", false),
        ("api.example.com", "https://api.example.com.evil.test/", false),
        ("api.example.com:8443", "https://api.example.com:8443/", true),
        ("api.example.com:8443", "https://api.example.com/", false),
        ("api.example.com:443", "https://api.example.com/", true),
        ("*.example.com", "https://a.example.com/", true),
        ("*.example.com", "https://a.b.example.com/", true),
        ("*.example.com", "https://example.com/", false),
        ("*.example.com", "https://evilexample.com/", false),
        ("*.example.com", "https://a.example.com:8443/", false),
        ("*.example.com:8443", "https://a.example.com:8443/", true),
        ("127.0.0.1", "https://127.0.0.1/", true),
        ("[::1]", "https://[0:0::1]/", true),
        ("[::1]:8443", "https://[::1]:8443/", true),
        ("[::1]:8443", "https://[::1]/", false),
    ])
    func `a pattern matches its hosts`(pattern: String, url: String, fits: Bool) throws {
        let pattern = try #require(HostPattern(pattern))
        #expect(pattern.matches(try HTTPURL(url)) == fits)
    }

    @Test(arguments: [
        "", "*", "*.", "a.*.com", "https://a.com", "a.com/", "a.com/x", "a.com?x", "a@b.com", "a b",
        "*.127.0.0.1", "127.1", "a.com:", "a.com:0", "ä.com", "*.*.com", "::1",
    ])
    func `an invalid pattern is refused`(text: String) {
        #expect(HostPattern(text) == nil)
    }

    @Test(arguments: ["api.example.com", "a.com:8443", "*.a.com", "*.a.com:1", "[::1]", "[::1]:2"])
    func `a pattern is shown as it is written`(text: String) {
        #expect(HostPattern(text)?.description == text)
    }
}
