import Foundation
import OrderedJSON
import Testing

@testable import GroveServer

extension OverSockets {
    @Suite("Clients of other protocols, over sockets", .timeLimit(.minutes(1)))
    struct ForeignClientLogTests {
        private static let post =
            "POST / HTTP/1.1\r\nHost: 127.0.0.1:7400\r\nContent-Type: text/plain\r\n\r\n"
            + #"{"op":"create","id":1,"to":"counter/pwned"}"# + "\n"

        @Test func `a web page's POST writes nothing, and the log has few lines`()
            async throws
        {
            let log = KeptLog()
            try await RunningServer.with(log: log.logger()) { running in
                for _ in 0..<20 {
                    let browser = try running.connect()
                    try browser.send(Self.post)
                    #expect(try browser.line() == "HTTP/1.1 400 Bad Request\r")
                    while try browser.lineOrEnd() != nil {}
                }
                let good = try running.connect()
                let reply = try good.ask(#"{"op":"get","id":1,"to":"counter/pwned"}"#)
                #expect(try reply.json("error")?["code"] == "NO_SUCH_INSTANCE")
                let lines = log.lines(with: "spoke another protocol")
                #expect(lines.count == 1)
                #expect(lines.first?.contains(" warning ") == true)
                #expect(lines.first?.contains("peer=127.0.0.1") == true)
                #expect(lines.first?.contains("reason=http_request") == true)
            }
        }

        @Test func `a TLS hello is answered with an alert and the end`() async throws {
            let log = KeptLog()
            try await RunningServer.with(log: log.logger()) { running in
                let client = try running.connect()
                try client.send([0x16])
                try client.send([0x03, 0x01, 0x00, 0x05] + Array((Self.post).utf8))
                #expect(try client.lineOrEnd() == nil)
                #expect(client.unfinished == 7)
                #expect(log.lines(with: "reason=tls_hello").count == 1)
            }
        }

        @Test func `curl gets an explanation of the port`() async throws {
            try await RunningServer.with { running in
                let curl = Process()
                curl.executableURL = URL(filePath: "/usr/bin/env")
                curl.arguments = [
                    "curl", "-s", "--http0.9", "-m", "10", "-d",
                    #"{"op":"create","id":1,"to":"counter/c"}"#, "http://\(running.address)/",
                ]
                let output = Pipe()
                curl.standardOutput = output
                try curl.run()
                let said = String(
                    decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
                curl.waitUntilExit()
                // 127: curl isn't installed.
                guard curl.terminationStatus != 127 else { return }
                #expect(said.contains("This is the port of a Grove server"))
                #expect(!said.contains(#""id":1"# + ",\"ok\""))
            }
        }
    }
}
