import ArgumentParser
import Foundation
import GroveTestSupport
import Testing
import Transducers

@testable import GroveCommands

/// A program without machines, for its commands.
private enum Program: GroveApplication {
    static var definitions: [Definition] { [] }
    static var commandName: String { "grove" }
}

@Suite("ShellCompletion and ShellFlags")
struct ShellCompletionTests {
    private static let commands = ShellCommands(of: Program.self)

    private func completion(_ flags: [String] = []) throws -> ShellCompletion {
        ShellCompletion(
            commands: Self.commands, words: ShellSession.ownWords,
            refused: Set(ShellSession.refused.keys),
            flags: ShellFlags(try ConnectionFlags.parse(flags)),
            ask: { command, argument, words, last in
                // What it was asked, as names that begin with the last word.
                [last + (command + [argument] + words).joined(separator: ",")]
            })
    }

    /// The lines that a text may become.
    private func lines(_ text: String, _ flags: [String] = []) throws -> [String] {
        try completion(flags).completions(text).map {
            text + $0.rest + ($0.end.map(String.init) ?? "")
        }
        .sorted()
    }

    @Test func `commands are completed, and those of the shell`() throws {
        #expect(try lines("defi") == ["define ", "definitions "])
        #expect(try lines("grove sen") == ["grove send "])
        #expect(try lines("ex") == ["exit ", "explore ", "export "])
        #expect(try lines("principal gr") == ["principal grant "])
        #expect(try lines("help sen") == ["help send "])
        for refused in ["serv", "shel", "completi"] { #expect(try lines(refused).isEmpty) }
        #expect(try lines("nonsense a").isEmpty && lines("get a | he").isEmpty)
        #expect(try lines("get a # s").isEmpty && lines("get a\\").isEmpty)
    }

    @Test func `flags and their values are completed`() throws {
        #expect(try lines("send a go --ded") == ["send a go --dedup "])
        #expect(try lines("watch --kind ou") == ["watch --kind output "])
        #expect(try lines("watch --kind=ou") == ["watch --kind=output "])
        #expect(try lines("list --color n") == ["list --color never "])
        #expect(try lines("send a go --dedup ").isEmpty, "a value without known words")
    }

    @Test func `names are asked for as the completion scripts do`() throws {
        #expect(try lines("send cou") == ["send cousend,positional@0,send "])
        #expect(
            try lines("grove send counter/a --reply state in")
                == [
                    "grove send counter/a --reply state "
                        + "insend,positional@1,send,counter/a,--reply,state "
                ])
        #expect(
            try lines("watch a/1 a/2 b") == ["watch a/1 a/2 bwatch,positional@0,watch,a/1,a/2 "])
        #expect(
            try lines("get c", ["--server", "unix:/s"])
                == ["get cget,positional@0,get,--server=unix:/s "])
        #expect(try lines("get a b").isEmpty, "it has one argument")
    }

    @Test func `files are completed with the quotes of the place`() throws {
        let folder = try TemporaryFolder()
        try "".write(toFile: folder.path("my chart.json"), atomically: true, encoding: .utf8)
        try FileManager.default.createDirectory(
            atPath: folder.path("deep"), withIntermediateDirectories: true)
        let path = folder.url.path
        #expect(try lines("check \(path)/my") == ["check \(path)/my\\ chart.json "])
        #expect(try lines("check '\(path)/my") == ["check '\(path)/my chart.json'"])
        #expect(try lines("check \"\(path)/my ") == ["check \"\(path)/my chart.json\""])
        #expect(try lines("check \(path)/d") == ["check \(path)/deep/"])
        #expect(try lines("check \(path)/").count == 2)
        #expect(try lines("check \(path)/none/x").isEmpty)
        for name in ["my\u{1B}[2J.json", "my\nnext.json", "my\u{202E}nosj"] {
            try "".write(toFile: folder.path(name), atomically: true, encoding: .utf8)
        }
        #expect(try lines("check '\(path)/my") == ["check '\(path)/my chart.json'"])
    }

    @Test func `a line gets the flags of the shell that its command has`() throws {
        let flags = ShellFlags(
            try ConnectionFlags.parse([
                "--server", "tls:h:1", "--token-file", "t", "--tls-ca", "ca", "--timeout", "2s",
                "--json",
            ]))
        func added(_ words: String...) -> [String] { flags.added(to: words, Self.commands) }
        let server = ["--server=tls:h:1", "--token-file=t", "--tls-ca=ca"]
        #expect(added("get", "c/a") == ["get"] + server + ["--timeout=2s", "--json", "c/a"])
        #expect(
            added("get", "c/a", "--server", "h:2", "--timeout=1s")
                == ["get", "--json", "c/a", "--server", "h:2", "--timeout=1s"])
        #expect(
            added("principal", "list", "--data", "f").prefix(2) == ["principal", "list"],
            "after the words of the command")
        #expect(!added("principal", "list", "--data", "f").contains("--server=tls:h:1"))
        #expect(added("version") == ["version", "--json"])
        #expect(added("--help") == ["--help"] && added("help", "get") == ["help", "get"])
        #expect(added("nonsense", "x") == ["nonsense", "x"])
        #expect(added("principal") == ["principal"])
    }
}
