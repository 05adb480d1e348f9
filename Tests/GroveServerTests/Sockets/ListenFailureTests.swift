import Glibc
import GroveNetwork
import Testing

@testable import GroveServer

@Suite("ListenFailure")
struct ListenFailureTests {
    @Test(arguments: [
        ("127.0.0.1:80", EACCES, "choose a port above 1023"),
        ("127.0.0.1:7400", EADDRINUSE, "choose another port with --listen"),
        ("192.0.2.1:7400", EADDRNOTAVAIL, "this machine has no such address"),
        ("[::1]:7400", EAFNOSUPPORT, "this machine has no addresses of that kind"),
        ("unix:/root/a", EACCES, "let this user write to the directory"),
        ("unix:/a", EROFS, "the file system can't be written to"),
        ("unix:/a", ENOSPC, "make room there"), ("127.0.0.1:1", EMFILE, "ulimit -n"),
    ])
    func `the error gives advice, in one line`(text: String, code: Int32, advice: String) throws {
        let address = try #require(SocketAddress(text))
        let failure = ListenFailure(address, SocketError(call: "bind", code: code))
        #expect(failure.address == address)
        #expect(failure.message.hasPrefix("bind: \(String(cString: strerror(code)))"))
        #expect(failure.message.contains(advice) && !failure.message.contains("\n"))
    }

    @Test func `an error without a remedy is shown as it is`() throws {
        let address = try #require(SocketAddress("127.0.0.1:1"))
        let failure = ListenFailure(address, SocketError(call: "listen", code: EINVAL))
        #expect(failure.message == "listen: Invalid argument" && !failure.isMissingFamily)
        let missing = ListenFailure(address, SocketError(call: "bind", code: EADDRNOTAVAIL))
        #expect(missing.isMissingFamily)
    }
}
