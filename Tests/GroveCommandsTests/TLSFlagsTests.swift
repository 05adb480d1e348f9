import GroveClient
import Testing

@testable import GroveCommands

@Suite("Flags for TLS")
struct TLSFlagsTests {
    private let secure = ServerAddress.tls(host: "h", port: 1)
    private let pin = "sha256/" + String(repeating: "A", count: 43) + "="

    @Test func `flags are options of a server with TLS`() throws {
        let flags = try TLSFlags.parse([
            "--tls-ca", "/ca", "--tls-pin", pin, "--tls-certificate", "/c", "--tls-key", "/k",
        ])
        let options = try flags.options(for: secure)
        #expect(
            options
                == TLSOptions(
                    ca: "/ca", pin: TLSOptions.Pin(pin), certificate: "/c", key: "/k"))
    }

    @Test(arguments: [["--tls-ca", "/a"], ["--tls-certificate", "/c"], ["--tls-key", "/k"]])
    func `a flag for TLS and a plain server are a mistake`(arguments: [String]) throws {
        let flags = try TLSFlags.parse(arguments)
        #expect(throws: (any Error).self) { try flags.options(for: .standard) }
        #expect(throws: (any Error).self) { try flags.options(for: .unix(path: "/s")) }
    }

    @Test func `a certificate without its key is a mistake`() throws {
        let flags = try TLSFlags.parse(["--tls-certificate", "/c"])
        #expect(throws: (any Error).self) { try flags.options(for: secure) }
        #expect(throws: (any Error).self) { try TLSFlags.parse(["--tls-pin", "sha256/x"]) }
        #expect(try TLSFlags.parse([]).options(for: .standard) == TLSOptions())
    }
}
