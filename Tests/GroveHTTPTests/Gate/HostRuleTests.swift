import Testing

@testable import GroveHTTP

@Suite("HostRule")
struct HostRuleTests {
    @Test(arguments: [
        "localhost", "LOCALHOST:80", "a.localhost", "127.0.0.1", "10.0.0.5:7480", "[::1]",
        "[fe80::1]:7480", "grove.example", "Grove.Example:443",
    ])
    func `nobody can give these names to a stranger's page`(host: String) {
        #expect(HostRule.allows(Array(host.utf8), names: ["grove.example"]))
    }

    @Test(arguments: [
        "evil.example", "localhost.evil.example", "evillocalhost", "127.0.0.1.evil.example",
        "256.0.0.1", "1.2.3", "1.2.3.4.5", "0x7f.0.0.1", "a.grove.example", "grove.example.",
    ])
    func `other names are refused`(host: String) {
        #expect(!HostRule.allows(Array(host.utf8), names: ["grove.example"]))
    }
}
