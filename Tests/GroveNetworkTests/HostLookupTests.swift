import Testing

@testable import GroveNetwork

@Suite("HostLookup")
struct HostLookupTests {
    @Test(arguments: ["127.0.0.1", "::1"])
    func `an address is its own, with the port`(text: String) throws {
        let found = try HostLookup.addresses(of: text, port: 7400)
        #expect(found.map(\.ip) == [IPAddress(text)])
        #expect(found.map(\.port) == [7400])
    }

    @Test func `an impossible name fails with the system's message`() {
        let failure = #expect(throws: HostLookup.Failure.self) {
            try HostLookup.addresses(of: "no host")
        }
        #expect(failure?.description.hasPrefix("no host: ") == true)
    }

    @Test func `the interface of a link-local address is kept`() throws {
        let found = try HostLookup.addresses(of: "fe80::1%1", port: 80)
        let address = try #require(found.first)
        #expect(address.description == "[fe80::1]:80")
        address.withSystemAddress { system, length in
            let bytes = UnsafeRawBufferPointer(start: system, count: Int(length))
            // sin6_scope_id is the last field.
            #expect(bytes.loadUnaligned(fromByteOffset: bytes.count - 4, as: UInt32.self) == 1)
        }
    }
}
