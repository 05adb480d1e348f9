import Testing

@testable import GroveNetwork

@Suite("IP addresses")
struct IPAddressTests {
    @Test(arguments: [
        ("127.0.0.1", "127.0.0.1"), ("0.0.0.0", "0.0.0.0"), ("255.255.255.255", "255.255.255.255"),
        ("::1", "::1"), ("0:0:0:0:0:0:0:1", "::1"), ("2001:DB8::0:7", "2001:db8::7"),
        ("::ffff:127.0.0.1", "::ffff:127.0.0.1"), ("::ffff:7f00:1", "::ffff:127.0.0.1"),
    ])
    func `standard forms are read and written`(text: String, standard: String) {
        #expect(IPAddress(text)?.description == standard)
    }

    @Test(arguments: [
        "", "127.1", "127.0.1", "2130706433", "0x7f.0.0.1", "0x7f000001", "0177.0.0.1",
        "127.0.0.01", "127.0.0.1.", "127.0.0.256", "127.0.0.1 ", "+127.0.0.1", "127.0.0.-1",
        "localhost", "::1%lo", "[::1]", "1::2::3", "::ffff:127.1", "12345::",
    ])
    func `other spellings are refused`(text: String) {
        #expect(IPAddress(text) == nil)
    }

    @Test(
        arguments: [
            ("::ffff:127.0.0.1", "127.0.0.1"), ("::ffff:0.0.0.0", "0.0.0.0"), ("::127.0.0.1", nil),
            ("::1", nil), ("127.0.0.1", nil), ("::fffe:1.2.3.4", nil),
        ] as [(String, String?)])
    func `only a mapped address means one of IPv4`(text: String, mapped: String?) {
        #expect(IPAddress(text)?.mapped?.description == mapped)
    }

    @Test func `another address family has no address`() {
        SocketAddress.unix(path: "/a").withSystemAddress { system, _ in
            #expect(IPAddress(systemAddress: system) == nil)
        }
        let address = SocketAddress("[2001:db8::1]:80")
        address?.withSystemAddress { system, _ in
            #expect(IPAddress(systemAddress: system) == IPAddress("2001:db8::1"))
        }
    }
}
