import GroveProtocol
import Logging
import Testing

@testable import GroveServer

extension OverSockets {
    /// How long the server keeps a client that requests a lot and reads nothing.
    @Suite("Clients that don't read", .timeLimit(.minutes(2)))
    struct PausedReaderTests {
        /// Returns the log line about the end of such a client, and the time until it came.
        private func end(
            _ change: (inout ServerOptions) -> Void
        ) async throws -> (line: String, after: Duration) {
            let log = KeptLog()
            var end = (line: "", after: Duration.zero)
            try await RunningServer.with(
                {
                    $0.limits.pendingBytesMax = 65_536
                    change(&$0)
                }, log: log.logger(level: .debug)
            ) { running in
                let start = ContinuousClock.now
                let client = try RawClient(running.address, receiveBytes: 4_096)
                let fd = client.fd
                let sender = Task.detached {
                    let echo = String(repeating: "x", count: 60_000)
                    let ping = Array((#"{"op":"ping","id":1,"t":"\#(echo)"}"# + "\n").utf8)
                    // Sends until the server has hung up.
                    while (try? RawClient.send(ping, to: fd)) != nil {}
                }
                await sender.value
                while log.lines(with: "connection closed").isEmpty { await Task.yield() }
                end = (log.lines(with: "connection closed")[0], ContinuousClock.now - start)
                client.hangUp()
            }
            return end
        }

        @Test
        func `a client that accepts nothing is kept for three heartbeats`()
            async throws
        {
            let end = try await end { $0.limits.heartbeatMilliseconds = 1_000 }
            #expect(end.line.contains("slow_consumer") && end.after >= .seconds(3), "\(end)")
        }

        @Test func `a client that stays full is kept for its time, and no longer`()
            async throws
        {
            let end = try await end { $0.limits.slowConsumerMilliseconds = 2_000 }
            #expect(end.line.contains("slow_consumer") && end.after >= .seconds(2), "\(end)")
            // Includes the second between two checks, and a large margin for a busy computer.
            #expect(end.after < .seconds(20), "\(end)")
        }
    }
}
