import Foundation
import Glibc
import GroveTestSupport
import OrderedJSON
import Testing

/// The built server, stopped while clients send (reliability.md, P12).
@Suite("Stops under load", .serialized, .ownThreads, .timeLimit(.minutes(3)))
struct StopUnderLoadTests {
    /// Reads a client's remaining lines. Returns the highest acknowledged version and whether the
    /// shutdown was announced.
    private func readToEnd(_ client: LineClient) throws -> (version: Int64, wasTold: Bool) {
        var (version, wasTold) = (Int64(0), false)
        while let line = try client.readLineIfAny() {
            let reply = try JSONValue(parsing: Array(line.utf8))
            if reply["ok"] == true { version = max(version, reply["v"]?.integer ?? 0) }
            if reply["op"] == "draining" { wasTold = true }
            if let code = reply["error"]?["code"] { #expect(code == "DRAINING") }
        }
        return (version, wasTold)
    }

    @Test func `SIGTERM ends it in time, with 0, and what was acknowledged is there`() throws {
        let folder = try TemporaryFolder()
        chmod(folder.url.path, 0o700)
        let data = folder.path("grove.db")
        let server = try ServerProcess(data: data)
        let clients = try (0..<8).map { _ in try LineClient(port: server.port) }
        for (number, client) in clients.enumerated() {
            let line = #"{"op":"send","id":1,"to":"counter/c-\#(number)","event":"increment"}"#
            try client.send(bytes: Array(String(repeating: line + "\n", count: 2_000).utf8))
        }
        // Some of the events are done; the rest are in progress.
        for client in clients { _ = try client.readLine() }
        let begin = ContinuousClock.now
        kill(server.processID, SIGTERM)
        let ends = try clients.map(readToEnd)
        #expect(server.wait() == 0)
        #expect(ContinuousClock.now - begin < .seconds(10))
        #expect(ends.allSatisfy { $0.wasTold })
        let again = try ServerProcess(data: data)
        let client = try LineClient(port: again.port)
        for (number, end) in ends.enumerated() {
            try client.send(#"{"op":"get","id":1,"to":"counter/c-\#(number)"}"#)
            let got = try JSONValue(parsing: Array(try client.readLine().utf8))
            #expect((got["v"]?.integer ?? 0) >= end.version && end.version > 0)
        }
        #expect(again.stop() == 0)
    }

    @Test func `a second signal doesn't wait for a client that doesn't read`() throws {
        let folder = try TemporaryFolder()
        chmod(folder.url.path, 0o700)
        let server = try ServerProcess(data: folder.path("grove.db"))
        let deaf = try LineClient(port: server.port)
        let echo = String(repeating: "x", count: 500_000)
        for _ in 0..<16 { try deaf.send(#"{"op":"ping","id":1,"t":"\#(echo)"}"#) }
        let begin = ContinuousClock.now
        kill(server.processID, SIGTERM)
        while !server.log.contains("draining") { sched_yield() }
        #expect(server.isRunning)
        kill(server.processID, SIGTERM)
        #expect(server.wait() == SIGKILL)
        #expect(ContinuousClock.now - begin < .seconds(8))
        withExtendedLifetime(deaf) {}
    }

    /// Whether this user may make a process the first one of a namespace, as it is in a container.
    private static let mayBeFirst =
        getuid() == 0 && (try? Command.run("unshare", ["-pf", "true"]))?.status == 0

    @Test(.enabled(if: mayBeFirst, "only root may make namespaces"))
    func `a second signal ends the first process of a container, too`() throws {
        let folder = try TemporaryFolder()
        chmod(folder.url.path, 0o700)
        let launcher = folder.path("launch")
        let script = "#!/bin/sh\nexec unshare -pf '\(try GroveBinary.find().path)' \"$@\"\n"
        try Data(script.utf8).write(to: URL(filePath: launcher))
        chmod(launcher, 0o700)
        let server = try ServerProcess(
            data: folder.path("grove.db"), binary: URL(filePath: launcher))
        let (id, space) = (server.processID, CharacterSet.whitespacesAndNewlines)
        let children = try String(
            contentsOfFile: "/proc/\(id)/task/\(id)/children", encoding: .utf8)
        let first = try #require(pid_t(children.trimmingCharacters(in: space)))
        // A server that doesn't end would stay without `unshare`.
        defer { if server.isRunning { kill(first, SIGKILL) } }
        let deaf = try LineClient(port: server.port)
        let echo = String(repeating: "x", count: 500_000)
        for _ in 0..<16 { try deaf.send(#"{"op":"ping","id":1,"t":"\#(echo)"}"#) }
        kill(first, SIGTERM)
        while !server.log.contains("draining") { sched_yield() }
        kill(first, SIGTERM)
        let end = ContinuousClock.now + .seconds(8)
        while server.isRunning, ContinuousClock.now < end { sched_yield() }
        try #require(!server.isRunning)
        #expect(server.wait() == 128 + SIGKILL)
        withExtendedLifetime(deaf) {}
    }
}
