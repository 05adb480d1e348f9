import Testing

@testable import GroveEffects

@Suite("URLs of requests")
struct HTTPURLTests {
    @Test(arguments: [
        ("https://api.example.com", "https://api.example.com/"),
        ("HTTPS://API.Example.COM:443/A/b?C=d#fragment", "https://api.example.com/A/b?C=d"),
        ("https://h:8443?q", "https://h:8443/?q"),
        ("http://h:80/", "http://h/"),
        ("http://h:443/", "http://h:443/"),
        ("https://127.0.0.1/x", "https://127.0.0.1/x"),
        ("https://[0:0:0:0:0:0:0:1]:8443/x", "https://[::1]:8443/x"),
        ("https://h/a%20b//c;d=e,f", "https://h/a%20b//c;d=e,f"),
        ("https://xn--bcher-kva.example/", "https://xn--bcher-kva.example/"),
        ("https://h/?u=https://other/@", "https://h/?u=https://other/@"),
    ])
    func `a URL is written again from its parts`(text: String, canonical: String) throws {
        #expect(try HTTPURL(text).text == canonical)
    }

    @Test(arguments: [
        "", "api.example.com", "//h/", "ftp://h/", "file:///etc/passwd", "http+unix://x/",
        "https:h",
        "https:///x", "https://", "https://h h/", "https://h/a b", "https://h/\u{7F}",
        "https://h/a\r\nHost: other", "https://h\\@other/", "https://h/\\other", "https://ä/",
        "https://h/ä", "https://h/%", "https://h/%2", "https://h/%zz", "https://user@h/",
        "https://user:secret@h/", "https://h:0/", "https://h:65536/", "https://h:/",
        "https://h:8a/",
        "https://h:+80/", "https://h:80:80/", "https://h.", "https://.h", "https://a..b",
        "https://[::1", "https://[::1]x/", "https://[127.0.0.1]/", "https://[]/", "https://::1/",
        "https://h%2e/", "https://127.1/", "https://1/", "https://a.0x7f/", "https://1.2.3.4.5/",
        " https://h/", "https://h/[x]", "https://h/<x>",
    ])
    func `an ambiguous URL is refused`(text: String) {
        #expect(throws: HTTPURL.Fault.self) { try HTTPURL(text) }
    }

    @Test func `the reason doesn't repeat the text`() throws {
        let fault = #expect(throws: HTTPURL.Fault.self) { try HTTPURL("https://me:secret@h/") }
        #expect(fault?.reason == "holds a user name; give it as a header")
    }

    @Test func `a long URL is refused`() throws {
        let begin = "https://h/"
        let text = begin + String(repeating: "x", count: HTTPURL.bytesMax - begin.utf8.count)
        #expect(try HTTPURL(text).text.utf8.count == HTTPURL.bytesMax)
        #expect(throws: HTTPURL.Fault.self) { try HTTPURL(text + "x") }
    }

    /// The examples of RFC 3986, section 5.4, that contain a path.
    @Test(arguments: [
        ("https://other/x", "https://other/x"), ("g", "https://a/b/c/g"),
        ("./g", "https://a/b/c/g"), ("g/", "https://a/b/c/g/"), ("/g", "https://a/g"),
        ("//g", "https://g/"), ("?y", "https://a/b/c/d;p?y"), ("g?y", "https://a/b/c/g?y"),
        ("#s", "https://a/b/c/d;p?q"), ("g#s", "https://a/b/c/g"), (";x", "https://a/b/c/;x"),
        ("", "https://a/b/c/d;p?q"), (".", "https://a/b/c/"), ("./", "https://a/b/c/"),
        ("..", "https://a/b/"), ("../g", "https://a/b/g"), ("../..", "https://a/"),
        ("../../g", "https://a/g"), ("../../../g", "https://a/g"), ("/./g", "https://a/g"),
        ("/../g", "https://a/g"), ("g.", "https://a/b/c/g."), ("..g", "https://a/b/c/..g"),
        ("./g/.", "https://a/b/c/g/"), ("g/../h", "https://a/b/c/h"),
        ("g?y/../x", "https://a/b/c/g?y/../x"), ("http://g", "http://g/"),
    ])
    func `a redirect's location is relative to the URL before`(
        location: String, wanted: String
    ) throws {
        let base = try HTTPURL("https://a/b/c/d;p?q")
        #expect(try base.resolving(location).text == wanted)
    }

    @Test(arguments: ["mailto:x", "javascript:1", "https:g", "//user@h/", "//127.1/", "a b"])
    func `a redirect to an invalid URL is refused`(location: String) throws {
        let base = try HTTPURL("https://a/b")
        #expect(throws: HTTPURL.Fault.self) { try base.resolving(location) }
    }
}
