import Foundation
import Glibc
import GroveTestSupport
import OrderedJSON
import Testing

/// A machine whose code ends the process (`Boom` of Tests/TestShop). All other instances are
/// available again after a restart, and this instance is set aside after the second trap.
@Suite("machines that trap", .timeLimit(.minutes(5)))
struct TrapTests {
    private let folder: TemporaryFolder
    private let data: String

    init() throws {
        folder = try TemporaryFolder()
        data = folder.path("boom.db")
    }

    private func start(version: String = "1") throws -> ServerProcess {
        try ServerProcess(
            data: data,
            binary: try GroveBinary.find().deletingLastPathComponent().appending(
                path: "TestShop"),
            environment: ["BOOM_VERSION": version])
    }

    /// Restarts the server like a supervisor until it has set an instance aside. A server with an
    /// overdue effect may listen for a moment before it ends.
    private func supervise(starts: Int) throws -> ServerProcess {
        var problem: any Error = TestProblem("nothing was set aside")
        for _ in 0..<starts {
            do {
                let server = try start()
                guard try setAside(server).isEmpty else { return server }
                #expect([SIGILL, SIGTRAP].contains(server.wait()))
            } catch { problem = error }
        }
        throw problem
    }

    private func ask(_ server: ServerProcess, _ line: String) throws -> JSONValue {
        let client = try LineClient(port: server.port)
        try client.send(line)
        return try JSONValue(parsing: Array(client.readLine().utf8))
    }

    private func send(_ server: ServerProcess, _ to: String, _ event: String) throws -> JSONValue {
        try ask(server, #"{"op":"send","id":1,"to":"\#(to)","event":\#(event)}"#)
    }

    private func code(_ reply: JSONValue) -> String? { reply["error"]?["code"]?.string }

    private func setAside(_ server: ServerProcess) throws -> [String] {
        let list = try ask(server, #"{"op":"list","id":1,"held":"set_aside"}"#)
        return list["items"]?.array?.compactMap { $0["to"]?.string } ?? []
    }

    /// Sends an event that must end the process.
    private func expectTrap(_ server: ServerProcess, _ to: String, _ event: String) throws {
        let client = try LineClient(port: server.port)
        try client.send(#"{"op":"send","id":1,"to":"\#(to)","event":\#(event)}"#)
        if let line = try? client.readLine() {
            server.kill()
            throw TestProblem("\(event) was answered: \(line)")
        }
        #expect([SIGILL, SIGTRAP, SIGSEGV, SIGBUS].contains(server.wait()))
    }

    @Test(arguments: [
        #""pop""#, #""recurse""#, #"{"type":"read","value":[1,2]}"#,
    ])
    func `an event that traps twice sets only its instance aside`(
        event: String
    ) throws {
        for _ in 1...2 {
            let server = try start()
            #expect(try send(server, "boom/a", #""add""#)["ok"]?.bool == true)
            #expect(try send(server, "boom/b", #""add""#)["ok"]?.bool == true)
            try expectTrap(server, "boom/a", event)
        }
        var server = try start()
        #expect(server.log.contains("set aside") && server.log.contains("boom/a"))
        #expect(try setAside(server) == ["boom/a"])
        for event in [event, #""add""#] {
            let refused = try send(server, "boom/a", event)
            #expect(code(refused) == "SET_ASIDE")
            #expect(refused["error"]?["retry"]?.bool == false)
        }
        #expect(try send(server, "boom/b", #""add""#)["v"]?.integer == 3)
        let got = try ask(server, #"{"op":"get","id":1,"to":"boom/a"}"#)
        #expect(got["held"]?.string == "set_aside" && got["v"]?.integer == 2)
        let stats = try ask(server, #"{"op":"stats","id":1}"#)
        #expect(stats["instances_set_aside"]?.integer == 1)
        let health = try ask(server, #"{"op":"ping","id":1,"health":true}"#)
        #expect(health["health"]?["set_aside"]?.integer == 1)
        #expect(server.stop() == 0)
        // It stays set aside until a client retries it. Then it may trap twice again.
        server = try start()
        #expect(try setAside(server) == ["boom/a"])
        #expect(try ask(server, #"{"op":"retry","id":1,"to":"boom/a"}"#)["ok"]?.bool == true)
        try expectTrap(server, "boom/a", event)
        server = try start()
        #expect(try setAside(server) == [])
        #expect(try send(server, "boom/a", #""add""#)["v"]?.integer == 3)
        #expect(server.stop() == 0)
    }

    @Test func `a timer that traps delays no other, and continues with a new version`() throws {
        var server = try start()
        #expect(try send(server, "boom/b", #""add""#)["ok"]?.bool == true)
        #expect(
            try send(server, "boom/a", #"{"type":"arm","milliseconds":1500}"#)["ok"]?.bool == true)
        #expect([SIGILL, SIGTRAP].contains(server.wait()))
        server = try supervise(starts: 3)
        #expect(try setAside(server) == ["boom/a"])
        #expect(server.log.contains("effect") && server.log.contains("pop"))
        #expect(try send(server, "boom/b", #""add""#)["v"]?.integer == 2)
        #expect(server.stop() == 0)
        server = try start(version: "2")
        #expect(try setAside(server) == [])
        let wait = #"{"op":"await","id":1,"to":"boom/a","until":"done","timeout_ms":1}"#
        var version: Int64 = 0
        while version < 2 {
            _ = try ask(server, wait)
            let got = try ask(server, #"{"op":"get","id":1,"to":"boom/a"}"#)
            version = try #require(got["v"]?.integer)
        }
        let got = try ask(server, #"{"op":"get","id":1,"to":"boom/a"}"#)
        #expect(got["state"]?["count"]?.integer == 7 && got["held"] == nil)
        #expect(server.stop() == 0)
    }

    @Test func `a mistake in many instances sets their machine aside after five ends`()
        throws
    {
        let count = 20
        var server = try start()
        for number in 0..<count {
            let arm = #"{"type":"arm","milliseconds":1500}"#
            #expect(try send(server, "boom/i\(number)", arm)["ok"]?.bool == true)
        }
        #expect([SIGILL, SIGTRAP].contains(server.wait()))
        // Four more traps, of three instances.
        var ends = 1
        while true {
            try #require(ends <= 5)
            if let again = try? start() {
                let isMachine = again.log.contains("machines are set aside")
                if isMachine {
                    server = again
                    break
                }
                #expect([SIGILL, SIGTRAP].contains(again.wait()))
            }
            ends += 1
        }
        #expect(ends == 5)
        let refused = try send(server, "boom/new", #""add""#)
        #expect(code(refused) == "SET_ASIDE")
        #expect(refused["error"]?["data"]?["machine"]?.string == "boom")
        #expect(try send(server, "cart/c", #"{"type":"add","value":"pear"}"#)["ok"]?.bool == true)
        let stats = try ask(server, #"{"op":"stats","id":1}"#)
        #expect(stats["machines_set_aside"]?.integer == 1)
        let health = try ask(server, #"{"op":"ping","id":1,"health":true}"#)
        #expect(health["health"]?["set_aside"]?.integer == 3)
        #expect(server.stop() == 0)
        server = try start(version: "2")
        let hello = try ask(server, #"{"op":"definitions","id":1}"#)
        #expect(hello["items"]?.array?.allSatisfy { $0["held"] == nil } == true)
        #expect(try send(server, "boom/new", #""add""#)["ok"]?.bool == true)
        #expect(server.stop() == 0)
    }

    @Test func `a machine that traps when it is described is tried once`() throws {
        var server = try start()
        let describe = #"{"op":"describe","id":1,"name":"boom"}"#
        #expect(try send(server, "boom/a", #""add""#)["ok"]?.bool == true)
        let client = try LineClient(port: server.port)
        try client.send(describe)
        #expect([SIGILL, SIGTRAP].contains(server.wait()))
        for _ in 1...2 {
            server = try start()
            let described = try ask(server, describe)
            #expect(described["ok"]?.bool == true, "\(described)")
            #expect(described["events"]?.array?.contains(.string("add")) == true)
            #expect(try send(server, "boom/a", #""add""#)["ok"]?.bool == true)
            #expect(try setAside(server) == [])
            #expect(server.stop() == 0)
        }
        server = try start(version: "2")
        #expect(try ask(server, describe)["ok"]?.bool == true)
        #expect(server.stop() == 0)
        #expect(!FileManager.default.fileExists(atPath: data + "-crash"))
    }

    @Test func `a handler that traps sets no instance aside`() throws {
        let server = try start()
        // The handler may be faster than the answer, so no answer is read.
        let client = try LineClient(port: server.port)
        try client.send(
            #"{"op":"send","id":1,"to":"boom/a","event":{"type":"work","value":0}}"#)
        #expect([SIGILL, SIGTRAP].contains(server.wait()))
        // The handler traps at each start, but the server can't know there which code trapped. It
        // may or may not listen before that.
        for _ in 1...2 {
            if let again = try? start() { #expect([SIGILL, SIGTRAP].contains(again.wait())) }
        }
        let check = try Command.run(try GroveBinary.find().path, ["check-data", data])
        #expect(check.status == 0, "\(check)")
        #expect(
            !FileManager.default.fileExists(atPath: data + "-crash")
                || !crashes().contains("boom/a"))
    }

    private func crashes() -> String {
        guard let bytes = FileManager.default.contents(atPath: data + "-crash") else { return "" }
        return String(decoding: bytes.dropFirst(4_096), as: UTF8.self)
    }

    @Test(arguments: [SIGKILL, SIGABRT, SIGSEGV])
    func `a process killed under load sets nothing aside`(
        signal: Int32
    ) throws {
        var random = SeededRandom(seed: UInt64(signal))
        for _ in 1...5 {
            let server = try start()
            let processID = server.processID
            let delay = Int.random(in: 1...300, using: &random)
            DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(delay)) {
                _ = kill(processID, signal)
            }
            let line = #"{"op":"send","id":1,"to":"boom/a","event":"add"}"#
            let burst = Array(repeating: line, count: 200).joined(separator: "\n")
            do {
                let client = try LineClient(port: server.port)
                while true {
                    try client.send(burst)
                    for _ in 0..<200 { _ = try client.readLine() }
                }
            } catch {
                // The server is gone.
            }
            #expect(server.wait() == signal)
        }
        let server = try start()
        #expect(try setAside(server) == [])
        #expect(!server.log.contains("ended the last run"))
        #expect(server.stop() == 0)
        #expect(!FileManager.default.fileExists(atPath: data + "-crash"))
    }

    @Test func `without a data file nothing is recorded, and nothing set aside`() throws {
        for _ in 1...3 {
            let server = try ServerProcess(
                data: ":memory:",
                binary: try GroveBinary.find().deletingLastPathComponent().appending(
                    path: "TestShop"))
            try expectTrap(server, "boom/a", #""pop""#)
        }
    }
}
