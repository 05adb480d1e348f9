import Testing

@testable import GroveEffects

@Suite("SecretGrant: one text of the key secrets")
struct SecretGrantTests {
    private func grant(_ text: String) throws(SecretProblem) -> SecretGrant {
        try SecretGrant(text) { !$0.isEmpty && !$0.contains("*") }
    }

    @Test(arguments: [
        "stripe hosts=api.stripe.com machines=order,refund",
        "a hosts=*.example.com,b.example:8443,[2001:db8::7]:1 machines=m",
        "a-1 hosts=203.0.113.7 machines=m",
    ])
    func `a text has a name, hosts and machines`(text: String) throws {
        let grant = try grant(text)
        #expect(grant.description == text)
        #expect(grant.machines.first?.isEmpty == false)
        let words = text.split(separator: " ")
        #expect(try self.grant("\(words[0])  \(words[2]) \(words[1])") == grant, "in any order")
    }

    @Test(arguments: [
        ("", "must begin with the name of a secret"),
        ("hosts=a.b machines=m", "must begin with the name of a secret"),
        ("Stripe hosts=a.b machines=m", "must begin with the name of a secret"),
        ("1a hosts=a.b machines=m", "must begin with the name of a secret"),
        ("../key hosts=a.b machines=m", "must begin with the name of a secret"),
        ("a machines=m", "a: has no hosts"), ("a hosts= machines=m", "a: must have hosts such as"),
        ("a hosts=https://h/ machines=m", "a: must have hosts such as"),
        ("a hosts=* machines=m", "a: must have hosts such as"),
        ("a hosts=a.b", "a: has no machines"), ("a hosts=a.b machines=", "no machine's name"),
        ("a hosts=a.b machines=*", "\"*\" is no machine's name"),
        ("a hosts=a.b machines=m hosts=c.d", "a: hosts= is there twice"),
        ("a hosts=a.b machines=m value=x", "a: only hosts=… and machines=… follow"),
        ("a hosts=a.b, c.d machines=m", "a: only hosts=… and machines=… follow"),
    ])
    func `another text is refused with what is wrong`(text: String, problem: String) {
        let error = #expect(throws: SecretProblem.self) { try grant(text) }
        #expect(error?.description.contains(problem) == true, "\(error?.description ?? "")")
    }

    @Test(arguments: ["sk_live_canary", "stripe sk_live_canary", "stripe value=sk_live_canary"])
    func `a value in the wrong place isn't shown`(text: String) {
        let error = #expect(throws: SecretProblem.self) { try grant(text) }
        #expect(error?.description.contains("canary") == false)
    }

    @Test func `a name has 64 bytes at most`() throws {
        let name = String(repeating: "a", count: SecretGrant.nameBytesMax)
        #expect(try grant("\(name) hosts=a.b machines=m").name == name)
        #expect(throws: SecretProblem.self) { try grant("\(name)a hosts=a.b machines=m") }
    }

    @Test func `two secrets of one name and too many secrets are refused`() throws {
        let texts = (1...EffectSecrets.countMax).map { "s\($0) hosts=a.b machines=m" }
        #expect(try SecretGrant.read(texts) { _ in true }.count == 64)
        for wrong in [texts + ["more hosts=a.b machines=m"], [texts[0], texts[0]]] {
            #expect(throws: SecretProblem.self) { try SecretGrant.read(wrong) { _ in true } }
        }
    }

    @Test(arguments: [
        ("a hosts=h machines=m", ["a hosts=h machines=m"]),
        ("a hosts=h,i machines=m,n", ["a hosts=h,i machines=m,n"]),
        (
            "a hosts=h machines=m,n,b hosts=i,j machines=o,c hosts=k machines=p",
            ["a hosts=h machines=m,n", "b hosts=i,j machines=o", "c hosts=k machines=p"]
        ),
    ])
    func `commas separate secrets, and hosts and machines of one`(text: String, parts: [String]) {
        #expect(SecretGrant.split(text) == parts)
        #expect(SecretGrant.split("").isEmpty)
    }
}
