import Foundation
import Glibc
import GroveTestSupport
import Testing

@testable import GroveServer

/// A supervisor that receives notices.
private final class Listener {
    let folder: TemporaryFolder
    let fd: Int32
    var path: String { folder.path("notify") }

    init() throws {
        folder = try TemporaryFolder()
        fd = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
        let (address, length) = try #require(SystemdNotifier.address(folder.path("notify")))
        let descriptor = fd
        let status = withUnsafePointer(to: address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, length) }
        }
        guard status == 0 else { throw TestProblem("no socket: errno \(errno)") }
    }

    deinit { close(fd) }

    /// Waits for the next notice, at most a minute, and returns it.
    func notice() -> String? {
        var descriptor = pollfd(fd: fd, events: Int16(POLLIN), revents: 0)
        guard poll(&descriptor, 1, 60_000) == 1 else { return nil }
        var buffer = [UInt8](repeating: 0, count: 256)
        let count = recv(fd, &buffer, buffer.count, 0)
        return count < 0 ? nil : String(decoding: buffer[..<count], as: UTF8.self)
    }
}

@Suite("SystemdNotifier", .timeLimit(.minutes(1)))
struct SystemdNotifierTests {
    @Test func `systemd is notified when the server listens and begins to stop`() throws {
        let supervisor = try Listener()
        let server = try ServerProcess(
            data: ":memory:", environment: ["NOTIFY_SOCKET": supervisor.path])
        #expect(supervisor.notice() == "READY=1")
        #expect(server.stop() == 0)
        #expect(supervisor.notice() == "STOPPING=1")
    }

    @Test func `a missing supervisor does no harm`() {
        SystemdNotifier.notify(.ready, socket: nil)
        SystemdNotifier.notify(.ready, socket: "/nowhere/notify")
    }

    @Test func `only a path and an abstract name are addresses`() throws {
        let (path, length) = try #require(SystemdNotifier.address("/a/b"))
        #expect(path.sun_path.0 == CChar(UInt8(ascii: "/")) && length == 2 + 4)
        let (abstract, _) = try #require(SystemdNotifier.address("@name"))
        #expect(abstract.sun_path.0 == 0 && abstract.sun_path.1 == CChar(UInt8(ascii: "n")))
        #expect(SystemdNotifier.address("") == nil && SystemdNotifier.address("a/b") == nil)
        #expect(SystemdNotifier.address("/" + String(repeating: "x", count: 108)) == nil)
    }
}
