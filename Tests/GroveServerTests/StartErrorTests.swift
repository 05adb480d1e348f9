import Foundation
import Glibc
import GroveTestSupport
import Testing

@testable import GroveServer

/// What the built server says when it can't start: one line on standard error, and an exit code of
/// the manual (docs/operating/running.md).
@Suite("Starts that fail", .ownThreads, .timeLimit(.minutes(3)))
struct StartErrorTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        chmod(folder.url.path, 0o700)
    }

    private func serve(
        _ arguments: String..., through wrapper: [String] = []
    ) throws -> Command.Outcome {
        let binary = try GroveBinary.find().path
        let command = ["30"] + wrapper + [binary, "serve"] + arguments
        return try Command.run("timeout", command)
    }

    private func expect(
        _ outcome: Command.Outcome, _ code: Int32, _ text: String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(outcome.status == code, sourceLocation: sourceLocation)
        let lines = outcome.output.split(separator: "\n")
        #expect(lines.count == 1, "\(outcome.output)", sourceLocation: sourceLocation)
        #expect(
            lines.first?.hasPrefix("error: ") == true && outcome.output.contains(text),
            "\(outcome.output)", sourceLocation: sourceLocation)
    }

    @Test func `a port in use`() throws {
        let socket = try Socket.listening(on: .loopbackV4(port: 0), backlog: 1)
        let address = try socket.localAddress()
        expect(
            try serve("--listen", "\(address)", "--data", folder.path("grove.db")), 78,
            "can't listen on \(address): bind: Address already in use; stop what listens there")
    }

    @Test func `a Unix socket in use, in no directory, or with too long a path`() throws {
        let path = folder.path("s")
        let (socket, file) = try UnixSocketFile.listen(at: path, mode: 0o600, backlog: 1)
        let data = folder.path("grove.db")
        expect(
            try serve("--listen", "unix:\(path)", "--data", data), 78,
            "can't listen on unix:\(path): another server listens there")
        withExtendedLifetime(socket) { file.remove() }
        expect(
            try serve("--listen", "unix:\(path)/none/s", "--data", data), 78,
            "the directory \(path)/none can't be opened (No such file or directory)")
        let long = "/" + String(repeating: "x", count: 120)
        expect(
            try serve("--listen", "unix:\(long)", "--data", data), 78,
            "listen: the path of a Unix socket has at most 107 bytes, and this one has 121")
    }

    @Test func `a data file in no directory, or in a file`() throws {
        expect(
            try serve("--listen", "127.0.0.1:0", "--data", folder.path("none/grove.db")), 78,
            "the directory \(folder.path("none")) does not exist; make it first")
        #expect(FileManager.default.createFile(atPath: folder.path("file"), contents: nil))
        expect(
            try serve("--listen", "127.0.0.1:0", "--data", folder.path("file/grove.db")), 74,
            "\(folder.path("file/grove.db")) cannot be looked at: Not a directory")
    }

    /// Whether this user may make file systems of its own.
    private static let mayMount =
        getuid() == 0
        && (try? Command.run("unshare", ["-m", "mount", "-t", "tmpfs", "none", "/mnt"]))?.status
            == 0

    @Test(.enabled(if: mayMount, "only root may make a file system to try it on"))
    func `a directory that can't be written to`() throws {
        let mount = "mount -t tmpfs -o ro,mode=0700 none '\(folder.url.path)' && exec \"$@\""
        expect(
            try serve(
                "--listen", "127.0.0.1:0", "--data", folder.path("grove.db"),
                through: ["unshare", "-m", "sh", "-c", mount, "sh"]), 74,
            "\(folder.path("grove.db")).new cannot be made: Read-only file system")
    }

    @Test(.enabled(if: mayMount, "only root may make a file system to try it on"))
    func `a disk that is full`() throws {
        let fill = """
            mount -t tmpfs -o size=1m,mode=0700 none '\(folder.url.path)'
            dd if=/dev/zero of='\(folder.path("junk"))' bs=4k 2>/dev/null
            exec "$@"
            """
        expect(
            try serve(
                "--listen", "127.0.0.1:0", "--data", folder.path("grove.db"),
                through: ["unshare", "-m", "sh", "-c", fill, "sh"]), 74,
            "the disk is full: make room and start again")
    }
}
