import GroveTestSupport
import Testing

@testable import GroveHTTP

@Suite("OriginRule")
struct OriginRuleTests {
    private func judge(
        _ fields: String, _ line: String = "GET / HTTP/1.1"
    ) throws -> OriginRule.Verdict {
        var parser = HTTPParser(bodyBytesMax: 0)
        var position = 0
        let text = line + "\r\nHost: localhost:7480\r\n" + fields + "\r\n"
        let step = Array(text.utf8).withUnsafeBytes { parser.next(in: $0, from: &position) }
        guard case .head(let head) = step else { throw TestProblem("no head") }
        return OriginRule.judge(head, origins: ["https://shop.example"])
    }

    private func isRefused(_ verdict: OriginRule.Verdict) -> Bool {
        if case .refused = verdict { true } else { false }
    }

    @Test(arguments: [
        "", "Origin: http://localhost:7480\r\n", "Origin: https://LOCALHOST:7480\r\n",
        "Sec-Fetch-Site: same-origin\r\n", "Sec-Fetch-Site: none\r\n",
    ])
    func `programs and its own pages may use the server`(fields: String) throws {
        #expect(try judge(fields) == .own)
    }

    @Test(arguments: [
        "Origin: null\r\n", "Origin: http://localhost\r\n", "Origin: http://localhost:7481\r\n",
        "Origin: http://localhost:7480/\r\n", "Origin: http://evil.example\r\n",
        "Origin: ftp://localhost:7480\r\n", "Origin: http://localhost:7480.evil.example\r\n",
        "Origin: http://localhost:7480\r\nOrigin: http://localhost:7480\r\n", "Origin:\r\n",
        "Sec-Fetch-Site: cross-site\r\n", "Sec-Fetch-Site: Same-Site\r\n",
        "Sec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: navigate\r\nSec-Fetch-Dest: iframe\r\n",
    ])
    func `pages of other origins may not`(fields: String) throws {
        #expect(isRefused(try judge(fields)))
    }

    @Test func `a listed origin may read the answer`() throws {
        let verdict = try judge("Origin: https://shop.example\r\nSec-Fetch-Site: cross-site\r\n")
        #expect(verdict == .listed(origin: Array("https://shop.example".utf8)))
    }

    @Test func `a link leads to the console, and to nothing else`() throws {
        let visit =
            "Sec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: navigate\r\nSec-Fetch-Dest: document\r\n"
        #expect(try judge(visit) == .own)
        #expect(isRefused(try judge(visit, "GET /v1 HTTP/1.1")))
        #expect(isRefused(try judge(visit, "POST / HTTP/1.1")))
    }
}
