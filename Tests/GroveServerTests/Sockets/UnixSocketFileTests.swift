import Foundation
import Glibc
import GroveNetwork
import GroveTestSupport
import OrderedJSON
import Testing

@testable import GroveServer

@Suite("UnixSocketFile")
struct UnixSocketFileTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private var path: String { folder.path("grove.sock") }

    private func listen(_ path: String, mode: mode_t = 0o600) throws -> (Socket, UnixSocketFile) {
        try UnixSocketFile.listen(at: path, mode: mode, backlog: 8)
    }

    private func status(_ path: String) -> stat? {
        var status = stat()
        return lstat(path, &status) == 0 ? status : nil
    }

    private func refusal(_ path: String) throws -> String {
        try #require(#expect(throws: ListenFailure.self) { try listen(path) }).message
    }

    /// Leaves a socket file like that of a killed server.
    private func leaveSocket() throws {
        let (socket, file) = try listen(path)
        withExtendedLifetime((socket, file)) {}
    }

    @Test(arguments: [0o600, 0o660, 0o666] as [mode_t])
    func `the file has the configured permissions`(mode: mode_t) throws {
        let (socket, file) = try listen(path, mode: mode)
        #expect(try #require(status(path)).st_mode == S_IFSOCK | mode)
        withExtendedLifetime(socket) { file.remove() }
        #expect(status(path) == nil)
    }

    @Test(arguments: [0o000, 0o022, 0o077, 0o777] as [UInt32])
    func `the permissions don't depend on the umask`(mask: UInt32) async {
        // Runs in a separate process, because the umask applies to the whole process.
        await #expect(processExitsWith: .success) { [mask] in
            umask(mask)
            let path = "/tmp/grove-umask-\(getpid()).sock"
            let (socket, file) = try UnixSocketFile.listen(at: path, mode: 0o600, backlog: 8)
            var status = stat()
            guard lstat(path, &status) == 0, status.st_mode == S_IFSOCK | 0o600 else { exit(1) }
            withExtendedLifetime(socket) { file.remove() }
            exit(0)
        }
    }

    @Test func `the file of a dead server is replaced`() throws {
        try leaveSocket()
        #expect(status(path) != nil)
        let (socket, file) = try listen(path)
        #expect(throws: Never.self) { try RawClient(.unix(path: path), readsGreeting: false) }
        guard case .socket(_, nil) = socket.accept() else {
            Issue.record("nobody is accepted, or has an address")
            return
        }
        file.remove()
    }

    @Test func `the file of a running server stays`() throws {
        let (socket, file) = try listen(path)
        #expect(
            try refusal(path)
                == "another server listens there; stop it, or choose another path")
        #expect(throws: Never.self) { try RawClient(.unix(path: path), readsGreeting: false) }
        withExtendedLifetime(socket) { file.remove() }
    }

    @Test func `the file of a running server that accepts no client stays`() throws {
        let socket = try Socket(family: AF_UNIX)
        let address = SocketAddress.unix(path: path)
        try #require(address.withSystemAddress { bind(socket.fd, $0, $1) } == 0)
        try #require(Glibc.listen(socket.fd, 0) == 0)
        let waiting = try (0..<1).map { _ in try RawClient(address, readsGreeting: false) }
        #expect(try refusal(path).contains("another server listens there"))
        withExtendedLifetime((socket, waiting)) {}
    }

    @Test func `a file that is no socket, and a link to one, stay as they are`() throws {
        let file = open(path, O_CREAT | O_WRONLY, 0o600)
        try #require(write(file, "data", 4) == 4)
        close(file)
        #expect(try refusal(path).contains("a file that is no socket; remove it"))
        #expect(status(path)?.st_size == 4)
        let link = folder.path("link.sock")
        try leaveAt(folder.path("other.sock"))
        try #require(symlink(folder.path("other.sock"), link) == 0)
        #expect(try refusal(link).contains("a file that is no socket"))
        #expect(try #require(status(link)).st_mode & S_IFMT == S_IFLNK)
    }

    private func leaveAt(_ path: String) throws {
        let (socket, file) = try listen(path)
        withExtendedLifetime((socket, file)) {}
    }

    @Test func `a directory that isn't there, or is none, is named`() throws {
        #expect(
            try refusal(folder.path("none/grove.sock")).contains(
                "the directory \(folder.path("none")) can't be opened (No such file or directory); "
                    + "make it"))
        let file = open(folder.path("file"), O_CREAT | O_WRONLY, 0o600)
        close(file)
        #expect(try refusal(folder.path("file/grove.sock")).contains("Not a directory"))
    }

    @Test func `a socket of another kind stays`() throws {
        let fd = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
        defer { close(fd) }
        try #require(SocketAddress.unix(path: path).withSystemAddress { bind(fd, $0, $1) } == 0)
        #expect(try refusal(path).contains("can't be seen (Protocol wrong type for socket)"))
        #expect(status(path) != nil)
    }

    @Test func `the start waits for another server's start, not for ever`()
        throws
    {
        let fd = open(folder.url.path, O_RDONLY | O_DIRECTORY)
        try #require(flock(fd, LOCK_EX) == 0)
        #expect(try refusal(path).contains("another program holds a lock on the directory"))
        close(fd)
        let (socket, file) = try listen(path)
        withExtendedLifetime(socket) { file.remove() }
    }

    @Test func `a file that replaced the socket is not removed`() throws {
        let (socket, file) = try listen(path)
        try #require(unlink(path) == 0)
        file.remove()
        close(open(path, O_CREAT | O_WRONLY, 0o600))
        file.remove()
        #expect(status(path) != nil)
        withExtendedLifetime(socket) {}
    }
}

extension OverSockets {
    @Suite("Server on a Unix socket", .timeLimit(.minutes(1)))
    struct UnixServerTests {
        @Test func `the socket has the same protocol as TCP, and its file ends with it`()
            async throws
        {
            let folder = try TemporaryFolder()
            let path = folder.path("grove.sock")
            let running = try await RunningServer.start {
                $0.listen = [.unix(path: path), .loopbackV4(port: 0)]
            }
            let bound = await running.server.listeningAddresses
            #expect(bound.map(\.isUnix) == [true, false] && bound[1].port > 0)
            for (version, address) in bound.enumerated() {
                let client = try RawClient(address)
                let ack = try client.ask(
                    #"{"op":"send","id":1,"to":"counter/c","event":"increment"}"#)
                #expect(try ack.json("v") == .integer(Int64(version + 1)))
            }
            try await running.stop()
            #expect(access(path, F_OK) != 0)
        }

        @Test func `an address in use leaves no file of another one`() async throws {
            let folder = try TemporaryFolder()
            let path = folder.path("grove.sock")
            try await RunningServer.with { running in
                var failure: Server.Failure?
                do {
                    _ = try await RunningServer.start {
                        $0.listen = [.unix(path: path), running.address]
                    }
                } catch let error as Server.Failure {
                    failure = error
                }
                #expect(failure?.exitCode == 78)
                #expect(
                    failure?.message
                        == "can't listen on \(running.address): bind: Address already in use; stop "
                        + "what listens there, or choose another port with --listen")
                #expect(access(path, F_OK) != 0)
            }
        }
    }
}
