import Glibc
import Testing

@testable import GroveServer

@Suite("SocketAddress")
struct SocketAddressTests {
    @Test(arguments: [
        "127.0.0.1:7400", "0.0.0.0:0", "[::1]:7400", "[::]:65535", "[2001:db8::1]:80",
        "255.255.255.255:1",
    ])
    func `an address reads back as it is written`(text: String) {
        #expect(SocketAddress(text)?.description == text)
    }

    @Test(arguments: [
        "", ":", "7400", ":7400", "localhost:7400", "127.0.0.1", "127.0.0.1:", "127.0.0.1:65536",
        "127.0.0.1:-1", "127.0.0.1:+1", "127.0.0.1:7x", "127.1:7400", "0x7f.0.0.1:7400", "::1:7400",
        "[::1]", "[::1]:", "[::1:7400", "[127.0.0.1]:7400", "256.0.0.1:1", "127.0.0.1 :7400",
    ])
    func `what is no address and port is none`(text: String) {
        #expect(SocketAddress(text) == nil)
    }

    @Test(arguments: [
        ("127.0.0.1:1", true), ("127.255.255.254:1", true), ("[::1]:1", true),
        ("[::ffff:127.0.0.1]:1", true), ("0.0.0.0:1", false), ("[::]:1", false),
        ("[::ffff:0.0.0.0]:1", false), ("[::2]:1", false), ("126.0.0.1:1", false),
        ("192.168.0.1:1", false), ("[fe80::1]:1", false), ("[::127.0.0.1]:1", false),
    ])
    func `only this machine reaches a loopback`(text: String, isLoopback: Bool) {
        #expect(SocketAddress(text)?.isLoopback == isLoopback)
    }

    @Test(arguments: ["127.0.0.1:7400", "[2001:db8::1]:80"])
    func `the system's form says the same`(text: String) throws {
        let address = try #require(SocketAddress(text))
        var storage = sockaddr_storage()
        address.withSystemAddress { pointer, length in
            withUnsafeMutableBytes(of: &storage) {
                $0.copyMemory(from: UnsafeRawBufferPointer(start: pointer, count: Int(length)))
            }
        }
        #expect(SocketAddress(storage) == address)
    }
}
