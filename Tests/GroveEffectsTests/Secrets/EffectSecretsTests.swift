import OrderedJSON
import Testing
import Transducers

@testable import GroveEffects

extension EffectSecrets {
    /// Secrets of the tests: each a text of the key `secrets` and its value.
    init(testing pairs: (grant: String, value: String)...) throws {
        self.init()
        for pair in pairs {
            var text = pair.value
            let value = try text.withUTF8 {
                try SecretValue(UnsafeRawBufferPointer($0), of: "a test")
            }
            add(try SecretGrant(pair.grant) { _ in true }, value)
        }
    }
}

@Suite("EffectSecrets: who gets a value, and what is shown of it")
struct EffectSecretsTests {
    private let secrets: EffectSecrets

    init() throws {
        secrets = try EffectSecrets(
            testing: (
                "stripe hosts=api.stripe.com,*.pay.example:8443 machines=order,refund",
                "sk_live_canary"
            ),
            ("long hosts=a.b machines=m", "sk_live_canary_2"),
            ("digits hosts=a.b machines=m", "1234567890"),
            ("short hosts=a.b machines=m", "1234567"))
    }

    private func value(
        _ url: String, _ machine: String?, of name: String = "stripe"
    ) throws -> String {
        try secrets.value(of: name, for: HTTPURL(url), machine: machine)
    }

    @Test(arguments: [
        "https://api.stripe.com/v1?x", "https://API.stripe.com:443", "https://x.pay.example:8443/",
    ])
    func `a machine of the list gets the value for a host of the list`(url: String) throws {
        for machine in ["order", "refund"] {
            #expect(try value(url, machine) == "sk_live_canary")
        }
    }

    @Test(
        arguments: [
            ("https://api.stripe.com/", "orders", "the secret stripe isn't for the machine orders"),
            ("https://api.stripe.com/", "Order", "the secret stripe isn't for the machine Order"),
            ("https://api.stripe.com/", nil, "the secret stripe isn't for the machine of this"),
            ("http://api.stripe.com/", "order", "the secret stripe is sent over https only"),
            ("http://api.stripe.com:443/", "order", "the secret stripe is sent over https only"),
            ("https://evil.example/", "order", "the secret stripe isn't for evil.example"),
            ("https://api.stripe.com:8443/", "order", "stripe isn't for api.stripe.com:8443"),
            (
                "https://api.stripe.com.evil.example/", "order",
                "stripe isn't for api.stripe.com.evil"
            ),
            ("https://pay.example:8443/", "order", "the secret stripe isn't for pay.example:8443"),
            ("https://x.pay.example/", "order", "the secret stripe isn't for x.pay.example"),
        ] as [(String, String?, String)])
    func `others fail for good, with the name and not the value`(
        url: String, machine: String?, reason: String
    ) throws {
        let error = #expect(throws: PermanentFailure.self) { try value(url, machine) }
        #expect(error?.reason.contains(reason) == true, "\(error?.reason ?? "")")
        #expect(error?.reason.contains("canary") == false)
    }

    @Test func `an unknown secret fails for good`() {
        let error = #expect(throws: PermanentFailure.self) {
            try value("https://api.stripe.com/", "order", of: "strip")
        }
        #expect(error?.reason == "there is no secret strip: configure secrets with it")
    }

    @Test(arguments: [
        ("sk_live_canary", "[secret:stripe]"), ("asdf sk_live_canary", "asdf [secret:stripe]"),
        ("sk_live_canarysk_live_canary!", "[secret:stripe][secret:stripe]!"),
        ("sk_live_canary_2 sk_live_canary", "[secret:long] [secret:stripe]"),
        ("ssk_live_canary", "s[secret:stripe]"), ("sk_live_canar", "sk_live_canar"),
        ("sk_live_canary\u{301}", "[secret:stripe]\u{301}"), ("1234567", "1234567"), ("", ""),
        ("é1234567890é", "é[secret:digits]é"),
    ])
    func `values of eight bytes and more are replaced by their names`(
        text: String, shown: String
    ) {
        #expect(Array(secrets.redacted(text).utf8) == Array(shown.utf8))
    }

    @Test func `all of a value's texts are searched, and numbers`() throws {
        let json = try JSONValue(
            parsing: Array(
                #"""
                {"a":["sk_live_canary",{"b":"x\u0073k_live_canary"}],"sk_live_canary":1,
                 "n":1234567890,"m":[5,1.5,true,null]}
                """#.utf8))
        let shown: JSONValue = [
            "a": ["[secret:stripe]", ["b": "x[secret:stripe]"]], "[secret:stripe]": 1,
            "n": "[secret:digits]", "m": [5, 1.5, true, nil],
        ]
        #expect(secrets.redacted(json) == shown)
    }

    @Test func `values are read from the files of a folder`() throws {
        let grant = try SecretGrant("stripe hosts=a.b machines=m") { _ in true }
        #expect(try EffectSecrets([], folder: nil).isEmpty)
        for (folder, problem) in [
            (nil, "stripe: there is no folder with its value: name it with secrets-dir"),
            ("/none", "/none can't be read: No such file or directory"),
            ("/dev/null", "/dev/null can't be read: Not a directory"),
        ] {
            let error = #expect(throws: SecretProblem.self) {
                try EffectSecrets([grant], folder: folder)
            }
            #expect(error?.description == problem)
        }
    }
}
