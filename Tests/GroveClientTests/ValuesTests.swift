import GroveClient
import Testing

@Suite("ServerAddress")
struct ServerAddressTests {
    @Test(arguments: [
        ("example.org:99", "example.org:99"), ("example.org", "example.org:7400"),
        (":99", "127.0.0.1:99"), ("[::1]:99", "[::1]:99"), ("[::1]", "[::1]:7400"),
        ("unix:/tmp/s", "unix:/tmp/s"), ("1.2.3.4:65535", "1.2.3.4:65535"),
        ("tls:example.org:99", "tls:example.org:99"), ("tls::99", "tls:127.0.0.1:99"),
        ("tls:[::1]:99", "tls:[::1]:99"),
    ])
    func `reads and writes every form`(text: String, expected: String) {
        let address = ServerAddress(text)
        #expect(address?.description == expected)
        #expect(address?.isSecure == text.hasPrefix("tls:"))
        #expect(ServerAddress(expected) == address)
    }

    @Test(arguments: ["", "host:", "host:65536", "host:-1", "host:x", "::1", "a b:1", "unix:"])
    func `an invalid address is refused`(text: String) {
        #expect(ServerAddress(text) == nil)
    }

    /// Neither a plain host that is called `tls`, nor a port that nobody has named.
    @Test(arguments: [
        "tls:", "tls:host", "tls:7443", "tls:[::1]", "tls:unix:/s", "tls:a:b:1", "tls:tls:a:1",
        "tls:a b:1", "tls:a:65536",
    ])
    func `an address with TLS has a host and a port`(text: String) {
        #expect(ServerAddress(text) == nil)
    }
}

@Suite("ReconnectPolicy")
struct ReconnectPolicyTests {
    @Test func `doubles the delay up to its limit`() {
        let policy = ReconnectPolicy(initialDelay: .milliseconds(100), delayMax: .seconds(1))
        let delays = (1...6).map { policy.delay(beforeAttempt: $0, chance: 0) }
        #expect(delays == [100, 200, 400, 800, 1000, 1000].map { .milliseconds($0) })
    }

    @Test func `jitter shortens a delay by at most its part`() {
        let policy = ReconnectPolicy(initialDelay: .milliseconds(100), jitter: 0.5)
        #expect(policy.delay(beforeAttempt: 1, chance: 0.5) == .milliseconds(75))
        #expect(policy.delay(beforeAttempt: 1, chance: 1) == .milliseconds(50))
    }

    @Test func `no attempt follows the last one`() {
        let policy = ReconnectPolicy(attemptsMax: 2)
        #expect(policy.delay(beforeAttempt: 2, chance: 0) != nil)
        #expect(policy.delay(beforeAttempt: 3, chance: 0) == nil)
        #expect(ReconnectPolicy.never.delay(beforeAttempt: 1, chance: 0) == nil)
    }

    @Test func `stays at the limit however long the server is away`() {
        let policy = ReconnectPolicy(delayMax: .seconds(5))
        #expect(policy.delay(beforeAttempt: 1_000_000, chance: 0) == .seconds(5))
    }
}
