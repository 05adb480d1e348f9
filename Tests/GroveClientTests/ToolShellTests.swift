import Foundation
import GroveClient
import GroveTestSupport
import Testing

/// `grove shell` as a script, and on a terminal.
@Suite("grove shell", .ownThreads, .timeLimit(.minutes(3)))
struct ToolShellTests {
    // MARK: Scripts

    @Test func `lines of standard input are commands, without a prompt`() async throws {
        let served = try ServedFile()
        let script = """
            # a comment, and an empty line

            create counter/s
            grove send counter/s '{"type":"add",
              "amount":5}'
            get "counter/s" --json
            quit
            get counter/none
            """
        let outcome = try await Tool.run("shell", server: served.address, input: script)
        #expect(outcome.code == 0 && outcome.notes.isEmpty, "\(outcome.notes)")
        #expect(outcome.lines.last?.contains(#""count":5"#) == true, "\(outcome.output)")
        #expect(outcome.output.contains("counter/s v1  changed\n"), "\(outcome.output)")
    }

    @Test func `the first line that fails ends a script with its code`() async throws {
        let served = try ServedFile()
        let script = "ping\nget counter/none\nsend counter/a {bad\nversion\n"
        let first = try await Tool.run("shell", server: served.address, input: script)
        #expect(first.code == 1 && first.lines.count == 1, "\(first.output)")
        #expect(first.notes.contains("line 2: exit code 1; the lines after it didn't run"))
        let all = try await Tool.run(
            "shell", "--keep-going", server: served.address, input: script)
        #expect(all.code == 1)
        #expect(all.notes.contains("line 3: exit code 64\n"), "\(all.notes)")
        #expect(all.lines.last?.hasPrefix("grove ") == true, "the last line ran")
    }

    @Test(arguments: [
        ("serve --data x", "'serve' isn't for this shell"), ("shell", "'shell' isn't for this"),
        ("completions bash", "'completions' isn't for"), ("list | head", "there is no '|' here"),
        ("watch a &", "'&' is for a shell on a terminal"), ("exit 3", "'exit' has no arguments"),
        ("get 'a", "line 1: error: a quote isn't closed"), ("sned a", "did you mean 'send'?"),
        ("get \u{0}", "the character NUL"),
    ])
    func `what makes no sense in it is refused with a hint`(
        line: String, hint: String
    ) async throws {
        let server = ServerAddress.unix(path: "/nonexistent")
        let outcome = try await Tool.run("shell", server: server, input: line + "\n")
        #expect(outcome.code == 64 && outcome.output.isEmpty)
        #expect(outcome.notes.contains(hint), "\(outcome.notes)")
    }

    @Test func `a command gets the lines after its own`() async throws {
        let served = try ServedFile()
        let script = "send counter/a -\nincrement\nincrement\n"
        let outcome = try await Tool.run("shell", server: served.address, input: script)
        #expect(outcome.code == 0 && outcome.lines.count == 2, "\(outcome.notes)")
        #expect(outcome.lines.last?.hasPrefix("counter/a v2") == true)
    }

    @Test func `lines get the flags of the shell`() async throws {
        let served = try ServedFile()
        let flags = ["shell", "--server", served.address.description, "--json", "--timeout", "9s"]
        let script =
            "create counter/a\nversion\nget counter/a\nget x/y --server unix:/nonexistent\n"
        let outcome = try await Tool.run(
            flags, server: .unix(path: "/nonexistent"), input: script)
        #expect(outcome.code == 69, "\(outcome.notes)")
        #expect(outcome.lines.count == 4 && outcome.lines.allSatisfy { $0.hasPrefix("{") })
        let wrong = try await Tool.run("shell", "--tls-ca", "x", server: served.address)
        #expect(wrong.code == 64 && wrong.notes.contains("--tls-ca is for a server with TLS"))
    }

    // MARK: Terminals

    @Test func `a terminal has a prompt, completion, earlier lines, and Ctrl-D`() throws {
        let served = try ServedFile()
        let folder = try TemporaryFolder()
        let prompt = "grove \(served.address)> "
        let shell = try TypedShell(server: served.address, state: folder.url.path)
        try shell.type("cre\tcount\ta\r")
        try shell.wait(for: "outputs")
        try shell.wait(for: prompt)
        try shell.type("send counter/\tincr\t\r")
        try shell.wait(for: "counter/a v1")
        try shell.wait(for: prompt)
        // The last line again.
        try shell.type("\u{1B}[A\r")
        try shell.wait(for: "counter/a v2")
        try shell.wait(for: prompt)
        try shell.type("get counter/none\r")
        try shell.wait(for: "NO_SUCH_INSTANCE")
        try shell.wait(for: "exit code 1")
        try shell.wait(for: prompt)
        // Ctrl-C clears a line.
        try shell.type("stop counter/a\u{3}")
        try shell.wait(for: "^C")
        try shell.wait(for: prompt)
        try shell.type("get counter/a --json\r")
        try shell.wait(for: #""count":2"#)
        try shell.wait(for: prompt)
        try shell.type("send a '{\"password\":\"x\"}'\r")
        try shell.wait(for: "exit code 1")
        try shell.wait(for: prompt)
        try shell.type("\u{4}")
        #expect(try shell.end() == 0)
        let history = try String(
            contentsOfFile: folder.path("grove/history"), encoding: .utf8)
        #expect(
            history.split(separator: "\n").map(String.init) == [
                "create counter/a", "send counter/a increment", "get counter/none",
                "get counter/a --json",
            ])
        let next = try TypedShell(server: served.address, state: folder.url.path)
        try next.type("\u{1B}[A\u{1B}[A\u{1B}[A\r")
        try next.wait(for: "counter/a v3")
        try next.wait(for: prompt)
        try next.type("exit\r")
        #expect(try next.end() == 0)
    }

    @Test func `Ctrl-D while a command runs ends the shell after it`() throws {
        let served = try ServedFile()
        let folder = try TemporaryFolder()
        let prompt = "grove \(served.address)> "
        let shell = try TypedShell(["--no-history"], server: served.address, state: folder.url.path)
        try shell.type("create counter/a\r")
        try shell.wait(for: prompt)
        try shell.type("await counter/a --timeout 1s\r")
        try shell.wait(for: "await counter/a --timeout 1s\r\n")
        // The terminal is the command's by now.
        usleep(300_000)
        try shell.type("\u{4}")
        try shell.wait(for: "exit code 75")
        #expect(try shell.end() == 0)
    }

    @Test func `Ctrl-D in an open line drops it, and at the prompt ends the shell`() throws {
        let served = try ServedFile()
        let folder = try TemporaryFolder()
        let prompt = "grove \(served.address)> "
        let shell = try TypedShell(server: served.address, state: folder.url.path)
        for lines in [["create 'counter/open", "--json"], ["create counter/open \\"]] {
            for line in lines {
                try shell.type(line + "\r")
                try shell.wait(for: "> ")
            }
            try shell.type("\u{4}")
            try shell.wait(for: "note: the open line is dropped: a quote isn't closed")
            try shell.wait(for: prompt)
        }
        // Nothing of it is left in the next line.
        try shell.type("create counter/a\r")
        try shell.wait(for: "outputs")
        try shell.wait(for: prompt)
        try shell.type("get counter/open\r")
        try shell.wait(for: "NO_SUCH_INSTANCE")
        try shell.wait(for: prompt)
        try shell.type("\u{4}")
        #expect(try shell.end() == 0)
        let history = try String(
            contentsOfFile: folder.path("grove/history"), encoding: .utf8)
        #expect(history == "create counter/a\nget counter/open\n")
    }

    @Test func `Ctrl-C ends a command and not the shell`() throws {
        let served = try ServedFile()
        let folder = try TemporaryFolder()
        let prompt = "grove \(served.address)> "
        let shell = try TypedShell(["--no-history"], server: served.address, state: folder.url.path)
        try shell.type("create counter/a\r")
        try shell.wait(for: prompt)
        try shell.type("watch counter --from first\r")
        try shell.wait(for: "created")
        try shell.type("\u{3}")
        try shell.wait(for: "go on later with --from")
        try shell.wait(for: prompt)
        try shell.waitForEditing()
        try shell.type("await counter/a --timeout 1h\r")
        try shell.wait(for: "await counter/a --timeout 1h\r\n")
        try shell.type("\u{3}")
        try shell.wait(for: "exit code 130")
        try shell.wait(for: prompt)
        // The whole screen, and back.
        try shell.type("top\r")
        try shell.wait(for: "\u{1B}[?1049h")
        try shell.wait(for: "q ends")
        try shell.type("q")
        try shell.wait(for: "\u{1B}[?1049l")
        try shell.wait(for: prompt)
        try shell.type("quit\r")
        #expect(try shell.end() == 0)
        #expect(!FileManager.default.fileExists(atPath: folder.path("grove")))
    }

    @Test func `a watch shows its lines above the prompt`() async throws {
        let served = try ServedFile()
        let folder = try TemporaryFolder()
        let prompt = "grove \(served.address)> "
        _ = try await Tool.run("create", "counter/a", server: served.address)
        let shell = try TypedShell(server: served.address, state: folder.url.path)
        try shell.type("watch 'counter/*' --from first &\r")
        try shell.wait(for: "created")
        try shell.wait(for: prompt)
        // Half a line stays at the prompt.
        try shell.type("send counter/a incr")
        try shell.wait(for: "incr")
        _ = try await Tool.run("send", "counter/a", "increment", server: served.address)
        try shell.wait(for: "{\"count\":1}")
        try shell.wait(for: prompt + "send counter/a incr")
        try shell.type("ement\r")
        try shell.wait(for: "counter/a v2")
        try shell.wait(for: "{\"count\":2}")
        try shell.type("unwatch\r")
        try shell.wait(for: "go on later with --from")
        try shell.type("\u{4}")
        #expect(try shell.end() == 0)
    }

    @Test func `a watch ends with its shell, also when that is killed`() async throws {
        let served = try ServedFile()
        let folder = try TemporaryFolder()
        _ = try await Tool.run("create", "counter/a", server: served.address)
        let shell = try TypedShell(server: served.address, state: folder.url.path)
        try shell.type("watch 'counter/*' --from first &\r")
        try shell.wait(for: "created")
        let process = try shell.shell
        let watch = try TypedShell.child(of: process)
        kill(process, SIGKILL)
        try TypedShell.waitForEnd(of: watch)
    }

    @Test func `without libedit lines are read plainly, and a note names the package`() throws {
        let served = try ServedFile()
        let folder = try TemporaryFolder()
        let prompt = "grove \(served.address)> "
        // A file of the library's name that is none, where the loader looks first.
        for name in ["libedit.so.2", "libedit.so.0"] {
            try "".write(toFile: folder.path(name), atomically: true, encoding: .utf8)
        }
        let shell = try TypedShell(
            server: served.address, state: folder.url.path,
            environment: ["LD_LIBRARY_PATH": folder.url.path])
        #expect(shell.greeting.contains("apt-get install libedit2"))
        try shell.type("create counter/a\r")
        try shell.wait(for: "outputs")
        try shell.wait(for: prompt)
        try shell.type("stop counter/a\u{3}")
        try shell.wait(for: prompt)
        try shell.type("stop 'counter/a\r")
        try shell.wait(for: "> ")
        try shell.type("\u{4}")
        try shell.wait(for: "note: the open line is dropped")
        try shell.wait(for: prompt)
        try shell.type("exit\r")
        let code = try shell.end()
        #expect(code == 0)
    }
}
