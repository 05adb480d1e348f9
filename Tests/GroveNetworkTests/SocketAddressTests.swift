import Glibc
import Testing

@testable import GroveNetwork

@Suite("SocketAddress")
struct SocketAddressTests {
    @Test(arguments: [
        "127.0.0.1:7400", "0.0.0.0:0", "[::1]:7400", "[::]:65535", "[2001:db8::1]:80",
        "255.255.255.255:1", "unix:/run/grove.sock", "unix:grove.sock", "unix:/a:7400",
    ])
    func `an address reads back as it is written`(text: String) {
        #expect(SocketAddress(text)?.description == text)
    }

    @Test(arguments: [
        "", ":", "7400", ":7400", "localhost:7400", "127.0.0.1", "127.0.0.1:", "127.0.0.1:65536",
        "127.0.0.1:-1", "127.0.0.1:+1", "127.0.0.1:7x", "127.1:7400", "0x7f.0.0.1:7400", "::1:7400",
        "unix:", "unix:/a\0b", "unix", "[::1]", "[::1]:", "[::1:7400", "[127.0.0.1]:7400",
        "256.0.0.1:1", "127.0.0.1 :7400",
    ])
    func `other texts are refused`(text: String) {
        #expect(SocketAddress(text) == nil)
    }

    @Test(arguments: [
        ("127.0.0.1:1", true), ("127.255.255.254:1", true), ("[::1]:1", true),
        ("[::ffff:127.0.0.1]:1", true), ("0.0.0.0:1", false), ("[::]:1", false),
        ("[::ffff:0.0.0.0]:1", false), ("[::2]:1", false), ("126.0.0.1:1", false),
        ("unix:/run/grove.sock", true), ("192.168.0.1:1", false), ("[fe80::1]:1", false),
        ("[::127.0.0.1]:1", false),
    ])
    func `only this machine reaches a loopback`(text: String, isLoopback: Bool) {
        #expect(SocketAddress(text)?.isLoopback == isLoopback)
    }

    @Test(arguments: ["127.0.0.1:7400", "[2001:db8::1]:80"])
    func `the system's form is equal`(text: String) throws {
        let address = try #require(SocketAddress(text))
        var storage = sockaddr_storage()
        address.withSystemAddress { pointer, length in
            withUnsafeMutableBytes(of: &storage) {
                $0.copyMemory(from: UnsafeRawBufferPointer(start: pointer, count: Int(length)))
            }
        }
        #expect(SocketAddress(storage) == address)
    }

    // MARK: Unix sockets

    @Test func `a path has at most 107 bytes, and the error has both numbers`() {
        let longest = "/" + String(repeating: "x", count: 106)
        #expect(SocketAddress.unixPathBytesMax == 107)
        #expect(SocketAddress("unix:" + longest) == .unix(path: longest))
        #expect(SocketAddress("unix:" + longest + "x") == nil)
        #expect(
            SocketAddress.pathProblem(longest + "x")
                == "the path of a Unix socket has at most 107 bytes, and this one has 108; choose "
                + "a shorter one")
        #expect(SocketAddress.pathProblem("")?.contains("needs a path") == true)
        #expect(SocketAddress.pathProblem(longest) == nil)
    }

    @Test func `the system's form of a path is padded with zeros`() {
        SocketAddress.unix(path: "/a").withSystemAddress { pointer, length in
            #expect(Int(length) == MemoryLayout<sockaddr_un>.size)
            pointer.withMemoryRebound(to: sockaddr_un.self, capacity: 1) { system in
                #expect(system.pointee.sun_family == sa_family_t(AF_UNIX))
                withUnsafeBytes(of: system.pointee.sun_path) {
                    #expect(Array($0.prefix(4)) == [47, 97, 0, 0])
                }
            }
        }
    }
}
