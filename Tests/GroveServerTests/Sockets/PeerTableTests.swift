import GroveNetwork
import Testing

@testable import GroveServer

@Suite("PeerTable")
struct PeerTableTests {
    private func group(_ text: String) throws -> PeerGroup? {
        PeerGroup(try #require(SocketAddress(text)))
    }

    @Test func `an address has room up to the bound, and again after a close`() throws {
        var peers = PeerTable()
        let one = try group("192.0.2.1:1")
        let other = try group("192.0.2.2:1")
        for _ in 0..<3 {
            #expect(peers.hasRoom(for: one, max: 3))
            peers.add(one)
        }
        #expect(!peers.hasRoom(for: one, max: 3))
        #expect(peers.hasRoom(for: other, max: 3))
        peers.remove(one)
        #expect(peers.hasRoom(for: one, max: 3))
        peers.remove(one)
        peers.remove(one)
        #expect(peers.count == 0)
    }

    @Test func `the port doesn't matter; of IPv6 the network does`() throws {
        #expect(try group("192.0.2.1:1") == group("192.0.2.1:2"))
        #expect(try group("192.0.2.1:1") != group("192.0.2.2:1"))
        #expect(try group("[2001:db8::1]:1") == group("[2001:db8::ffff:2]:1"))
        #expect(try group("[2001:db8::1]:1") != group("[2001:db8:0:1::1]:1"))
        #expect(try group("[::ffff:192.0.2.1]:1") == group("192.0.2.1:1"))
        #expect(try group("[::1]:1") != group("0.0.0.0:1"))
    }

    @Test func `all loopback addresses of IPv4 are one`() throws {
        #expect(try group("127.0.0.1:1") == group("127.255.3.2:1"))
        #expect(try group("[::ffff:127.0.0.9]:1") == group("127.0.0.1:1"))
        #expect(try group("128.0.0.1:1") != group("127.0.0.1:1"))
        #expect(try group("126.0.0.1:1") != group("127.0.0.1:1"))
    }

    @Test func `the log names the address, of IPv6 the network`() throws {
        #expect(try group("192.0.2.10:1")?.description == "192.0.2.10")
        #expect(try group("[2001:db8:0:a::1]:1")?.description == "2001:db8:0:a::/64")
    }

    @Test func `clients of a Unix socket have no bound per address`() throws {
        var peers = PeerTable()
        #expect(try group("unix:/a") == nil)
        peers.add(nil)
        #expect(peers.hasRoom(for: nil, max: 0) && peers.count == 0)
        peers.remove(nil)
    }
}
