import Foundation
import Glibc
import GroveNetwork
import GroveTestSupport
import Testing

@testable import GroveServer

/// The output of the built server when it can't start: one line on standard error, and an exit code
/// from the manual (docs/operating/running.md).
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
        try serve(arguments, through: wrapper)
    }

    private func serve(
        _ arguments: [String], through wrapper: [String] = []
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
        #expect(!FileManager.default.fileExists(atPath: folder.path("grove.db")), "nothing is left")
    }

    @Test func `a start that fails for its data leaves no socket's file`() throws {
        let path = folder.path("s")
        expect(
            try serve("--listen", "unix:\(path)", "--data", folder.path("none/grove.db")), 78,
            "does not exist; make it first")
        #expect(!FileManager.default.fileExists(atPath: path))
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

    @Test func `something that is no socket at a Unix socket's path`() throws {
        let path = folder.path("s")
        #expect(FileManager.default.createFile(atPath: path, contents: Data("mine".utf8)))
        expect(
            try serve("--listen", "unix:\(path)", "--data", folder.path("grove.db")), 78,
            "can't listen on unix:\(path): there is a file that is no socket; remove it")
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "mine")
    }

    /// Creates a file with a data file's permissions and returns its path.
    private func makeFile(_ name: String, _ bytes: [UInt8]) -> String {
        let path = folder.path(name)
        #expect(FileManager.default.createFile(atPath: path, contents: Data(bytes)))
        chmod(path, 0o600)
        return path
    }

    @Test func `a data file that is none`() throws {
        let noise = (0..<20_000).map { UInt8(truncatingIfNeeded: $0 &* 7 ^ ($0 >> 3)) }
        let text = Array("The quick brown fox\n".utf8)
        for (name, bytes) in [("text", text), ("noise", noise)] {
            let path = makeFile(name, bytes)
            expect(
                try serve("--listen", "127.0.0.1:0", "--data", path), 65,
                "the data file is refused: \(path) is not a Grove data file")
            #expect(try Array(Data(contentsOf: URL(filePath: path))) == bytes)
        }
        let empty = makeFile("empty", [])
        expect(
            try serve("--listen", "127.0.0.1:0", "--data", empty), 65,
            "\(empty) is empty; if nothing was lost, remove it to start anew")
        expect(
            try serve("--listen", "127.0.0.1:0", "--data", folder.url.path), 65,
            "\(folder.url.path) is a directory; name a file")
        let link = folder.path("link")
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "text")
        expect(
            try serve("--listen", "127.0.0.1:0", "--data", link), 65,
            "\(link) is a symbolic link; name the file itself")
    }

    @Test func `a data file that another server has`() throws {
        let data = folder.path("grove.db")
        let first = try ServerProcess(data: data)
        expect(
            try serve("--listen", "127.0.0.1:0", "--data", data), 73,
            "another server")
        #expect(first.stop() == 0)
    }

    @Test func `a directory that this user may not write to`() throws {
        try #require(getuid() == 0 || chmod(folder.url.path, 0o500) == 0)
        let data = folder.path("grove.db")
        let wrapper =
            getuid() == 0 ? ["setpriv", "--reuid=65534", "--clear-groups"] : []
        expect(
            try serve("--listen", "127.0.0.1:0", "--data", data, through: wrapper), 74,
            "the data file cannot be read or written: ")
        chmod(folder.url.path, 0o700)
        #expect(!FileManager.default.fileExists(atPath: data))
    }

    @Test func `wrong values of keys are told with key, value, place and what is allowed`() throws {
        let file = makeFile(
            "grove.json",
            Array("{\"max-line\": \"long\",\n\"max-inflight\": 0,\n\"grace-m\": 1}".utf8))
        let outcome = try serve(
            "--config", file, "--log-level", "loud",
            through: ["env", "GROVE_MAX_PENDING=some", "GROVE_HEARTBEAT_M=1"])
        #expect(outcome.status == 78)
        let lines = outcome.output.split(separator: "\n").map(String.init)
        func expectLine(_ text: String, sourceLocation: SourceLocation = #_sourceLocation) {
            #expect(
                lines.contains { $0.hasPrefix("error: ") && $0.contains(text) },
                "\(text)\n\(outcome.output)", sourceLocation: sourceLocation)
        }
        expectLine(
            "max-line: must be an integer from 256 to 8388608 bytes, not \"long\" "
                + "(\(file), line 1)")
        expectLine(
            "max-inflight: must be an integer from 1 to 65536 requests, not 0 (\(file), line 2)")
        expectLine("grace-m: there is no such key; did you mean grace-ms?")
        expectLine("(\(file), line 3)")
        expectLine("log-level: must be ")
        expectLine("not \"loud\" (--log-level)")
        expectLine("max-pending: must be an integer from ")
        expectLine("not \"some\" (GROVE_MAX_PENDING)")
        expectLine("GROVE_HEARTBEAT_M: no key has this variable; did you mean GROVE_HEARTBEAT_MS?")
        #expect(lines.count == 6, "\(outcome.output)")
    }

    @Test func `a configuration file that isn't there or is no JSON, and no address`() throws {
        let none = folder.path("none.json")
        expect(
            try serve("--config", none), 78, "\(none) can't be read: No such file or directory")
        let broken = makeFile("broken.json", Array("{\n\"max-line\" 5}".utf8))
        expect(try serve("--config", broken), 78, "this is no JSON: ")
        expect(
            try serve("--listen", "example.com:7400"), 78,
            "listen: must be localhost:port, address:port, [IPv6 address]:port, one of them after "
                + "tls:, or unix:path, not \"example.com:7400\"; names are not looked up (--listen)"
        )
        expect(
            try serve("--listen", "0.0.0.0:0", "--data", folder.path("grove.db")), 78,
            "can be reached by other machines")
    }

    @Test func `an option that there isn't`() throws {
        let outcome = try serve("--nonsense")
        #expect(outcome.status == 64)
        #expect(outcome.output.contains("Unknown option '--nonsense'"))
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

    /// Whether this user may mount file systems in a private namespace.
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

    @Test(.enabled(if: mayMount, "only root may mount a folder to be read only"))
    func `what every user could change is accepted where it is mounted to be read only`() throws {
        let open = folder.path("open")
        let file = "\(open)/grove.json"
        let secret = "\(open)/stripe"
        try FileManager.default.createDirectory(
            atPath: open, withIntermediateDirectories: false)
        try Data(#"{"max-line":1000}"#.utf8).write(to: URL(filePath: file))
        try Data("sk_1\n".utf8).write(to: URL(filePath: secret))
        #expect(chmod(open, 0o777) == 0 && chmod(file, 0o666) == 0 && chmod(secret, 0o600) == 0)
        let mount = "mount --bind '\(open)' '\(open)' && mount -o remount,bind,ro '\(open)'"
        let mounted = ["unshare", "-m", "sh", "-c", mount + " && exec \"$@\"", "sh"]

        let shown = ["--config", file, "--print-config"]
        expect(try serve(shown), 78, "every user can change this file")
        let printed = try serve(shown, through: mounted)
        #expect(printed.status == 0 && printed.output.contains("1000"), "\(printed.output)")
        // The folder of the data is checked after the secrets.
        let started = [
            "--listen", "127.0.0.1:0", "--data", folder.path("none/grove.db"), "--secrets-dir",
            open,
            "--secrets", "stripe hosts=127.0.0.1 machines=counter",
        ]
        expect(try serve(started), 78, "every user can put files into \(open)")
        expect(try serve(started, through: mounted), 78, "does not exist; make it first")
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
