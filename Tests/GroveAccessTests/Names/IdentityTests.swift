import GroveAccess
import Testing

@Suite("Identity")
struct IdentityTests {
    private static let hash = String(repeating: "A", count: 43) + "="

    @Test(
        arguments: [
            ("cert:uri:spiffe://example.org/shop", .uri), ("cert:uri:urn:x", .uri),
            ("cert:dns:shop.example.org", .dns), ("cert:dns:Shop_1", .dns),
            ("cert:email:ann@example.org", .email), ("cert:spki:sha256/" + hash, .key),
            ("cert:subject:CN=shop,O=Example AG", .subject), ("cert:subject:CN=Zoë", .subject),
            ("uid:0", .user), ("uid:1000", .user), ("uid:4294967294", .user), ("gid:27", .group),
        ] as [(String, IdentityKind)])
    func `identities that are read`(text: String, kind: IdentityKind) throws {
        let identity = try Identity(text)
        #expect(identity.kind == kind)
        #expect(identity.text == text)
        #expect("\(identity)" == text)
    }

    @Test(arguments: [
        // No kind, or one of other letters.
        "", "shop", "cert:", "cert:ip:1.2.3.4", "CERT:DNS:a", "dns:a", " uid:1",
        // Numbers with another spelling, out of range, or nobody's.
        "uid:", "uid:-1", "uid:+1", "uid:01", "uid:0x1", "uid:1 ", "uid:1.0", "uid:a", "uid:١",
        "uid:65534", "gid:65534", "uid:4294967295", "uid:4294967296", "uid:99999999999999999999",
        // Certificates.
        "cert:uri:", "cert:uri:noscheme", "cert:uri::x", "cert:uri:x:", "cert:uri:a: b",
        "cert:uri:x:*", "cert:dns:", "cert:dns:*.example.org", "cert:dns:a b", "cert:dns:é",
        "cert:dns:a/b", "cert:email:", "cert:email:ann", "cert:email:@x", "cert:email:a@",
        "cert:email:*@x", "cert:email:a b@x", "cert:spki:", "cert:spki:sha256/",
        "cert:spki:sha1/" + hash, "cert:spki:sha256/" + String(repeating: "A", count: 44),
        "cert:spki:sha256/" + String(repeating: "A", count: 42) + "==",
        "cert:spki:sha256/" + String(repeating: "A", count: 42) + "B=",
        "cert:subject:", "cert:subject:shop", "cert:subject:CN=a\nb", "cert:subject:CN=a\u{0}",
    ])
    func `other texts are refused`(text: String) {
        #expect(throws: IdentityError.self) { try Identity(text) }
    }

    @Test func `users and groups of a socket`() {
        #expect(Identity(user: 1_000)?.text == "uid:1000")
        #expect(Identity(user: 0)?.text == "uid:0")
        #expect(Identity(group: 27)?.text == "gid:27")
        #expect(Identity(user: 65_534) == nil)
        #expect(Identity(group: 65_534) == nil)
        #expect(Identity(user: .max) == nil)
        #expect(Identity(group: .max) == nil)
    }

    @Test func `identities have bounds`() throws {
        let uri = "cert:uri:a:"
        let longest = uri + String(repeating: "b", count: 512 - uri.utf8.count)
        _ = try Identity(longest)
        #expect(throws: IdentityError.self) { try Identity(longest + "b") }
        let subject = "CN=" + String(repeating: "b", count: 252)
        _ = try Identity("cert:subject:" + subject)
        #expect(throws: IdentityError.self) { try Identity("cert:subject:" + subject + "b") }
    }

    @Test func `kinds of certificates are looked up in their order`() {
        #expect(
            IdentityKind.allCases.map(\.rawValue) == [
                "cert:uri:", "cert:dns:", "cert:email:", "cert:spki:", "cert:subject:", "uid:",
                "gid:",
            ])
    }

    @Test func `two are equal when their bytes are`() throws {
        #expect(try Identity("cert:dns:a.b") != Identity("cert:dns:A.b"))
        #expect(try Identity("cert:subject:CN=e\u{301}").text.utf8.count == 19)
        #expect(try Identity("cert:dns:a") < Identity("cert:dns:b"))
    }
}
