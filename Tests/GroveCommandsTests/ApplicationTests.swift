import Foundation
import GroveTestSupport
import OrderedJSON
import Testing

/// A program that hosts its own machines, run as a user would: `test-shop` of Tests/TestShop.
@Suite("An application", .ownThreads, .timeLimit(.minutes(2)))
struct ApplicationTests {
    private static func binary() throws -> URL {
        try GroveBinary.find().deletingLastPathComponent().appending(path: "TestShop")
    }

    private func run(_ arguments: String...) throws -> Command.Outcome {
        try Command.run(try Self.binary().path, arguments)
    }

    @Test func `has every command, its own among them, under its own name`() throws {
        let help = try run("--help")
        #expect(help.status == 0)
        #expect(help.output.contains("OVERVIEW: Carts for the tests."))
        #expect(help.output.contains("USAGE: test-shop <subcommand>"))
        for command in ["serve", "send", "watch", "version", "stock"] {
            #expect(help.output.contains("\n  \(command) "), "\(command)")
        }
        #expect(help.output.contains("\n  test-shop serve --data grove.db"))
        #expect(!help.output.contains("grove send"))
        let send = try run("send", "--help")
        #expect(send.output.contains("test-shop send") && !send.output.contains("grove send"))
    }

    @Test func `has a version beside Grove's`() throws {
        #expect(try run("version").output.hasPrefix("test-shop 2.5.0 (grove "))
        #expect(try run("--version").output.hasPrefix("test-shop 2.5.0 (grove "))
    }

    @Test func `runs its own subcommands, with their options and exit codes`() throws {
        let stock = try run("stock", "--count", "2")
        #expect(stock.status == 0 && stock.output == "apple\napple\n")
        #expect(try run("stock", "--count", "0").status == 3)
        #expect(try run("stock", "--count", "many").status == 64)
    }

    @Test func `a program's subcommand replaces Grove's of that name`() throws {
        #expect(try run("ping").output == "pong\n")
    }

    @Test func `hints have the program's name`() throws {
        let outcome = try run("get", "cart/a", "--server", "unix:/nonexistent")
        #expect(outcome.status == 69)
        #expect(outcome.output.contains("Start one with 'test-shop serve'"))
    }

    @Test func `is a server of its machines, with its handlers, and a client of that`() throws {
        let folder = try TemporaryFolder()
        let server = try ServerProcess(
            data: folder.path("shop.db"), binary: try Self.binary())
        let address = "127.0.0.1:\(server.port)"
        let add = try run(
            "send", "cart/a", #"{"type":"add","value":"pear"}"#, "--settle", "own", "--server",
            address)
        #expect(add.status == 0, "\(add.output)")
        let get = try run("get", "cart/a", "--json", "--server", address)
        #expect(get.output.contains(#""state":{"items":["pear"],"total":40}"#), "\(get.output)")
        let definitions = try run("definitions", "--server", address)
        #expect(definitions.output.split(separator: "\n").count == 3)
        let client = try LineClient(port: server.port, readsGreeting: false)
        #expect(try client.readLine().contains(#""max_line":5000"#))
        #expect(server.stop() == 0)
    }

    @Test func `shows its own defaults as the program's`() throws {
        let table = try run("serve", "--print-config")
        #expect(table.status == 0)
        let row = table.output.split(separator: "\n").first { $0.hasPrefix("max-line ") }
        #expect(row?.split(separator: " ") == ["max-line", "5000", "bytes", "program"])
        let flag = try run("serve", "--print-config", "--max-line", "6000")
        #expect(flag.output.contains("6000"))
    }

    @Test func `names itself when its configuration is refused`() throws {
        let folder = try TemporaryFolder()
        try Data(#"{"colour":"red"}"#.utf8).write(to: URL(filePath: folder.path("shop.json")))
        let outcome = try run("serve", "--config", folder.path("shop.json"))
        #expect(outcome.status == 78)
        #expect(outcome.output.contains("'test-shop serve --print-config' lists all keys"))
    }
}
