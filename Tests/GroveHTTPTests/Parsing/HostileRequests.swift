/// Requests with what becomes of them: what is accepted, and each rule broken by itself.
enum HostileRequests {
    /// What a parser makes of a request.
    enum Verdict: Equatable, CustomStringConvertible {
        /// Accepted: the method, the path, the body.
        case accepted(String, String, String)
        /// Refused with this status.
        case refused(Int)
        /// Not complete.
        case unfinished

        var description: String {
            switch self {
            case .accepted(let method, let path, let body): "\(method) \(path) \"\(body)\""
            case .refused(let status): "\(status)"
            case .unfinished: "unfinished"
            }
        }
    }

    struct Case: Sendable {
        let name: String
        let text: String
        let verdicts: [Verdict]
    }

    /// The longest body in these requests.
    static let bodyBytesMax = 100

    private static func get(
        _ name: String, _ fields: String, _ verdict: Verdict = .refused(400)
    ) -> Case {
        Case(
            name: name, text: "GET / HTTP/1.1\r\nHost: h\r\n" + fields + "\r\n\r\n",
            verdicts: [verdict])
    }

    private static func post(
        _ name: String, _ fields: String, _ body: String, _ verdict: Verdict = .refused(400)
    ) -> Case {
        Case(
            name: name, text: "POST /e HTTP/1.1\r\nHost: h\r\n" + fields + "\r\n\r\n" + body,
            verdicts: [verdict])
    }

    private static func chunked(
        _ name: String, _ body: String, _ verdict: Verdict = .refused(400)
    ) -> Case {
        post(name, "Transfer-Encoding: chunked", body, verdict)
    }

    private static func line(
        _ name: String, _ line: String, _ verdict: Verdict = .refused(400)
    ) -> Case {
        Case(name: name, text: line + "\r\nHost: h\r\n\r\n", verdicts: [verdict])
    }

    private static let plain = Verdict.accepted("GET", "/", "")

    static let all = accepted + requestLines + fields + hosts + lengths + chunks + sequences

    private static let accepted: [Case] = [
        line("plain", "GET / HTTP/1.1", plain),
        line("1.0", "GET / HTTP/1.0", plain),
        line("an empty line before", "\r\nGET / HTTP/1.1", plain),
        line("a query", "GET /a/b?x=1&y=%20 HTTP/1.1", .accepted("GET", "/a/b", "")),
        line(
            "all bytes of a target", "GET /-._~!$&'()*+,;=:@%41 HTTP/1.1",
            .accepted("GET", "/-._~!$&'()*+,;=:@%41", "")),
        line("absolute form", "GET http://h/x HTTP/1.1", .accepted("GET", "/x", "")),
        line("absolute form in other case", "GET HTTP://H/x HTTP/1.1", .accepted("GET", "/x", "")),
        line("the server", "OPTIONS * HTTP/1.1", .accepted("OPTIONS", "*", "")),
        line("another method", "PATCH / HTTP/1.1", .accepted("PATCH", "/", "")),
        get("white space around a value", "A: \t b c \t", plain),
        get("an empty value", "A:", plain),
        get("bytes past ASCII in a value", "A: \u{e4}", plain),
        get("the length of no body", "Content-Length: 0", plain),
        post("a length", "Content-Length: 3", "abc", .accepted("POST", "/e", "abc")),
        post("a length with zeros", "Content-Length: 003", "abc", .accepted("POST", "/e", "abc")),
        post("no body", "A: b", "", .accepted("POST", "/e", "")),
        post(
            "chunked in other case", "transfer-encoding: CHUNKED", "0\r\n\r\n",
            .accepted("POST", "/e", "")),
        chunked("chunks", "3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n", .accepted("POST", "/e", "abcde")),
        chunked(
            "hexadecimal", "A\r\n0123456789\r\n0\r\n\r\n", .accepted("POST", "/e", "0123456789")),
        chunked(
            "zeros before a size", "00003\r\nabc\r\n000\r\n\r\n", .accepted("POST", "/e", "abc")),
        chunked(
            "extensions", "3;a;b=c;d=\"e\\\"f\" ; g\r\nabc\r\n0;x=y\r\n\r\n",
            .accepted("POST", "/e", "abc")),
        chunked(
            "fields after the body", "0\r\nA: b\r\nContent-Length: 5\r\n\r\n",
            .accepted("POST", "/e", "")),
        get("expect with no body", "Expect: 100-continue", plain),
        get("an address as host", "A: b", plain),
    ]

    private static let requestLines: [Case] = [
        line("two empty lines before", "\r\n\r\nGET / HTTP/1.1"),
        line("no version", "GET /"),
        line("two spaces", "GET  / HTTP/1.1"),
        line("a space after", "GET / HTTP/1.1 "),
        line("a space before", " GET / HTTP/1.1"),
        line("a tab", "GET\t/ HTTP/1.1"),
        line("no method", "/ HTTP/1.1"),
        line("a method with a colon", "GET: / HTTP/1.1"),
        line("version 1.2", "GET / HTTP/1.2", .refused(505)),
        line("version 2.0", "GET / HTTP/2.0", .refused(505)),
        line("version 0.9", "GET / HTTP/0.9", .refused(505)),
        line("version in lower case", "GET / http/1.1"),
        line("version with two digits", "GET / HTTP/1.10"),
        line("version of ICE", "SOURCE / ICE/1.0"),
        line("a fragment", "GET /#a HTTP/1.1"),
        line("a quote", "GET /\" HTTP/1.1"),
        line("a backslash", "GET /\\a HTTP/1.1"),
        line("a byte past ASCII", "GET /\u{e4} HTTP/1.1"),
        line("a NUL", "GET /\0 HTTP/1.1"),
        line("no slash", "GET a HTTP/1.1"),
        line("a star for GET", "GET * HTTP/1.1"),
        line("a host for CONNECT", "CONNECT h:80 HTTP/1.1"),
        line("absolute form of another host", "GET http://other/ HTTP/1.1"),
        line("absolute form without a path", "GET http://h HTTP/1.1"),
        line("absolute form without a host", "GET http:/// HTTP/1.1"),
        line("another scheme", "GET ftp://h/ HTTP/1.1"),
        line("a user", "GET http://u@h/ HTTP/1.1"),
        line(
            "too long", "GET /" + String(repeating: "a", count: 8_192) + " HTTP/1.1",
            .refused(414)),
        Case(
            name: "the preface of HTTP/2", text: "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
            verdicts: [.refused(505)]),
        Case(name: "a bare LF", text: "GET / HTTP/1.1\nHost: h\r\n\r\n", verdicts: [.refused(400)]),
        Case(
            name: "a bare CR", text: "GET /\rHTTP/1.1\r\nHost: h\r\n\r\n",
            verdicts: [.refused(400)]),
    ]

    private static let fields: [Case] = [
        get("a space before the colon", "A : b"),
        get("a tab before the colon", "A\t: b"),
        get("a folded line", "A: b\r\n c"),
        get("a folded line by a tab", "A: b\r\n\tc"),
        get("a first line that is folded", " A: b"),
        get("no colon", "A"),
        get("no name", ": b"),
        get("a name with a space", "A B: c"),
        get("a name past ASCII", "\u{e4}: b"),
        get("a NUL in a value", "A: b\0c"),
        get("a DEL in a value", "A: b\u{7f}c"),
        get("a bare CR in a value", "A: b\rc"),
        get("a bare LF after a field", "A: b\nC: d"),
        get("64 fields", (0..<63).map { "A\($0): b" }.joined(separator: "\r\n"), plain),
        get("65 fields", (0..<64).map { "A\($0): b" }.joined(separator: "\r\n"), .refused(431)),
        get(
            "a head that is too long", "A: " + String(repeating: "b", count: 16_384),
            .refused(431)),
        get("another expectation", "Expect: 200-ok", .refused(417)),
        get("two expectations", "Expect: 100-continue\r\nExpect: 100-continue", .refused(417)),
    ]

    private static func host(_ name: String, _ lines: String, _ verdict: Verdict) -> Case {
        Case(name: name, text: "GET / HTTP/1.1\r\n" + lines + "\r\n", verdicts: [verdict])
    }

    private static let hosts: [Case] = [
        host("no host", "", .refused(400)),
        host("no host in 1.0", "A: b\r\n", .refused(400)),
        host("two hosts", "Host: h\r\nHost: h\r\n", .refused(400)),
        host("an empty host", "Host:\r\n", .refused(400)),
        host("two names", "Host: a b\r\n", .refused(400)),
        host("a list", "Host: a,b\r\n", .accepted("GET", "/", "")),
        host("a user", "Host: u@h\r\n", .refused(400)),
        host("a path", "Host: h/x\r\n", .refused(400)),
        host("a port", "Host: h:80\r\n", .accepted("GET", "/", "")),
        host("an empty port", "Host: h:\r\n", .refused(400)),
        host("a port of letters", "Host: h:a\r\n", .refused(400)),
        host("a port that is too long", "Host: h:123456\r\n", .refused(400)),
        host("IPv6", "Host: [::1]:80\r\n", .accepted("GET", "/", "")),
        host("IPv6 without its end", "Host: [::1\r\n", .refused(400)),
        host("IPv6 without brackets", "Host: ::1\r\n", .refused(400)),
    ]

    private static let lengths: [Case] = [
        post("two lengths", "Content-Length: 3\r\nContent-Length: 4", "abc"),
        post("two equal lengths", "Content-Length: 3\r\nContent-Length: 3", "abc"),
        post("a list of lengths", "Content-Length: 3, 3", "abc"),
        post("a length with a sign", "Content-Length: +3", "abc"),
        post("a negative length", "Content-Length: -3", "abc"),
        post("a hexadecimal length", "Content-Length: 0x3", "abc"),
        post("a length with a point", "Content-Length: 3.0", "abc"),
        post("an empty length", "Content-Length:", "abc"),
        post("a length of 17 digits", "Content-Length: 00000000000000003", "abc"),
        post("a length past the bound", "Content-Length: 101", "abc", .refused(413)),
        post("a length within a name", "Content_Length: 3", "", .accepted("POST", "/e", "")),
        post("CL.TE", "Content-Length: 3\r\nTransfer-Encoding: chunked", "0\r\n\r\n"),
        post("TE.CL", "Transfer-Encoding: chunked\r\nContent-Length: 3", "0\r\n\r\n"),
        post("TE.TE", "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked", "0\r\n\r\n"),
        post(
            "chunked behind identity", "Transfer-Encoding: identity, chunked", "0\r\n\r\n",
            .refused(501)),
        post("chunked behind gzip", "Transfer-Encoding: gzip, chunked", "0\r\n\r\n", .refused(501)),
        post(
            "chunked twice in a list", "Transfer-Encoding: chunked, chunked", "0\r\n\r\n",
            .refused(501)),
        post("identity", "Transfer-Encoding: identity", "", .refused(501)),
        post("xchunked", "Transfer-Encoding: xchunked", "0\r\n\r\n", .refused(501)),
        post("chunked after a tab", "Transfer-Encoding:\tchunked", "0\r\n\r\n"),
        post("chunked before a tab", "transfer-encoding: chunked \t", "0\r\n\r\n"),
        post("a length after a tab", "Content-Length:\t3", "abc"),
        post("a length before a tab", "Content-Length: 3\t", "abc"),
        post(
            "a tab around another value", "A:\tb\t\r\nContent-Length: 3", "abc",
            .accepted("POST", "/e", "abc")),
        post("chunked with a vertical tab", "Transfer-Encoding: \u{b}chunked", "0\r\n\r\n"),
        post("chunked in quotes", "Transfer-Encoding: \"chunked\"", "0\r\n\r\n", .refused(501)),
        post("a space before the colon", "Transfer-Encoding : chunked", "0\r\n\r\n"),
        Case(
            name: "chunked in 1.0",
            text: "POST /e HTTP/1.0\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
            verdicts: [.refused(400)]),
        get("a body for GET", "Content-Length: 3"),
        get("chunks for GET", "Transfer-Encoding: chunked"),
        post("half a body", "Content-Length: 3", "ab", .unfinished),
    ]

    private static let chunks: [Case] = [
        chunked("no size", "\r\nabc\r\n0\r\n\r\n"),
        chunked("a size with 0x", "0x3\r\nabc\r\n0\r\n\r\n"),
        chunked("a size with a sign", "+3\r\nabc\r\n0\r\n\r\n"),
        chunked("a size after a space", " 3\r\nabc\r\n0\r\n\r\n"),
        chunked("a size before a space", "3 \r\nabc\r\n0\r\n\r\n"),
        chunked("nine digits", "000000003\r\nabc\r\n0\r\n\r\n"),
        chunked("a size of letters", "g\r\nabc\r\n0\r\n\r\n"),
        chunked("a size past the bound", "65\r\n", .refused(413)),
        chunked(
            "sizes that add up past it",
            "64\r\n" + String(repeating: "a", count: 100)
                + "\r\n1\r\n", .refused(413)),
        chunked("the largest size", "ffffffff\r\n", .refused(413)),
        chunked("data that is too long", "3\r\nabcd\r\n0\r\n\r\n"),
        chunked("data that is too short", "3\r\nab\r\n0\r\n\r\n"),
        chunked("a bare LF after the size", "3\nabc\r\n0\r\n\r\n"),
        chunked("a bare LF after the data", "3\r\nabc\n0\r\n\r\n"),
        chunked("a bare CR after the size", "3\rabc\r\n0\r\n\r\n"),
        chunked("a bare LF in an extension", "3;a\nabc\r\n0\r\n\r\n"),
        chunked("a bare CR in an extension", "3;a\rb\r\nabc\r\n0\r\n\r\n"),
        chunked("an extension without a name", "3;\r\nabc\r\n0\r\n\r\n"),
        chunked("an extension without a value", "3;a=\r\nabc\r\n0\r\n\r\n"),
        chunked("an open quote", "3;a=\"b\r\nabc\r\n0\r\n\r\n"),
        chunked(
            "extensions that are too long",
            "3;" + String(repeating: "a", count: 1_024)
                + "\r\nabc\r\n0\r\n\r\n", .refused(431)),
        chunked("a wrong field after the body", "0\r\nA b\r\n\r\n"),
        chunked("a folded field after the body", "0\r\nA: b\r\n c\r\n\r\n"),
        chunked(
            "fields after the body that are too long",
            "0\r\nA: " + String(repeating: "a", count: 4_096) + "\r\n\r\n", .refused(431)),
        chunked("no end", "3\r\nabc\r\n0\r\n", .unfinished),
    ]

    private static let sequences: [Case] = [
        Case(name: "half a head", text: "GET / HTTP/1.1\r\nHost: h\r\n", verdicts: [.unfinished]),
        Case(
            name: "two requests",
            text: "GET /a HTTP/1.1\r\nHost: h\r\n\r\nGET /b HTTP/1.1\r\nHost: h\r\n\r\n",
            verdicts: [.accepted("GET", "/a", ""), .accepted("GET", "/b", "")]),
        Case(
            name: "a request within a body",
            text: "POST /a HTTP/1.1\r\nHost: h\r\nContent-Length: 24\r\n\r\n"
                + "GET /b HTTP/1.1\r\nHost: h" + "GET /c HTTP/1.1\r\nHost: h\r\n\r\n",
            verdicts: [
                .accepted("POST", "/a", "GET /b HTTP/1.1\r\nHost: h"), .accepted("GET", "/c", ""),
            ]),
        Case(
            name: "an empty line between",
            text: "GET /a HTTP/1.1\r\nHost: h\r\n\r\n\r\nGET /b HTTP/1.1\r\nHost: h\r\n\r\n",
            verdicts: [.accepted("GET", "/a", ""), .accepted("GET", "/b", "")]),
        Case(
            name: "nothing after a refusal",
            text: "GET / HTTP/1.1\r\n\r\nGET /b HTTP/1.1\r\nHost: h\r\n\r\n",
            verdicts: [.refused(400)]),
        Case(
            name: "a TLS hello", text: "\u{16}\u{3}\u{1}\0\u{5}hello\n", verdicts: [.refused(400)]),
        Case(name: "a line of JSON", text: "{\"op\":\"ping\"}\n", verdicts: [.refused(400)]),
    ]
}
