import GroveClient
import GroveTLS
import GroveTestSupport
import Testing

@Suite("TLSOptions", .ownThreads)
struct TLSOptionsTests {
    private static let zeros = "sha256/" + String(repeating: "A", count: 43) + "="

    @Test func `a pin is read and written`() throws {
        let pin = try #require(TLSOptions.Pin(Self.zeros))
        #expect(pin.description == Self.zeros)
        let made = try SecureServers.pin("server")
        #expect(TLSOptions.Pin(made)?.description == made)
        #expect(TLSOptions(pin: pin) == TLSOptions(pin: TLSOptions.Pin(Self.zeros)))
    }

    @Test(arguments: [
        "", "sha256/", "sha1/AAAA", "sha256/AAAA", String(Self.zeros.dropFirst(7)),
        Self.zeros + "A", String(Self.zeros.dropLast()),
        "sha256/" + String(repeating: "é", count: 22),
        "sha256/" + String(repeating: "A", count: 42) + "B=",
    ])
    func `anything else is no pin`(text: String) {
        #expect(TLSOptions.Pin(text) == nil)
    }

    @Test(arguments: [
        (TLSOptions(ca: "/nonexistent/ca.pem"), "/nonexistent/ca.pem"),
        (TLSOptions(certificate: "/nonexistent/c.pem", key: "/k"), "/nonexistent/c.pem"),
        (TLSOptions(certificate: "/c"), "go together"), (TLSOptions(key: "/k"), "go together"),
    ])
    func `a wrong option fails the call at once, and says which`(
        options: TLSOptions, text: String
    ) async throws {
        // Nobody listens there, but the files come first.
        let client = SecureServers.client(.tls(host: "127.0.0.1", port: 1), options)
        let error = await failure { try await client.ping() }
        guard case .tlsFailed(let problem) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(problem.reason == .configuration)
        #expect(problem.message.contains(text), "\(problem)")
        #expect(error?.isRetryable == false && error?.isOutcomeUnknown == false)
    }

    // A server doesn't start with such a certificate, but it may end while it runs.
    @Test func `a certificate that has ended has its word`() {
        let failure = TLSFailure(.certificateExpired, "certificate has expired", subject: "CN=s")
        let problem = TLSProblem(failure, at: .tls(host: "h", port: 1), TLSOptions())
        #expect(problem?.reason == .expired)
        #expect(problem?.description.contains("compare the clocks") == true)
    }

    @Test(arguments: [ServerAddress.tcp(host: "127.0.0.1", port: 1), .unix(path: "/nonexistent")])
    func `options for TLS and a server without it don't go together`(
        address: ServerAddress
    ) async throws {
        let client = SecureServers.client(address, TLSOptions(ca: "/ca.pem"))
        let error = await failure { try await client.ping() }
        #expect(error?.code == "TLS_FAILED")
        #expect(error?.message.contains("tls:HOST:PORT") == true)
    }
}
