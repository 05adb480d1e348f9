import Foundation
import Glibc
import GroveTestSupport
import OrderedJSON
import Synchronization
import Testing

@testable import GroveServer

extension OverSockets {
    /// `EngineLoop` reads the requests of a lone client itself, so that no thread is woken
    /// (docs/internals/queues.md). A client that never pauses doesn't keep others from it.
    @Suite("A client that never pauses", .timeLimit(.minutes(1)))
    struct RestlessClientTests {
        /// Sends an event after each answer, until it is stopped. Returns how many there were.
        private func load(_ running: RunningServer, until done: borrowing Atomic<Bool>) throws
            -> Int
        {
            let client = try running.connect()
            var count = 0
            while !done.load(ordering: .acquiring) {
                let reply = try client.ask(
                    #"{"op":"send","id":1,"to":"counter/busy","event":"increment"}"#)
                count += 1
                #expect(try reply.json("v") == .integer(Int64(count)))
            }
            return count
        }

        @Test func `others connect, and their timers come, meanwhile`() async throws {
            let folder = try TemporaryFolder()
            chmod(folder.url.path, 0o700)
            try await RunningServer.with({ $0.store = .file(folder.path("grove.db")) }) {
                running in
                let waiting = try running.connect()
                let created = #"{"op":"create","id":1,"to":"counter/c"}"#
                #expect(try waiting.ask(created).json("ok") == true)
                let done = Atomic(false)
                async let acknowledged = load(running, until: done)
                // Also after an error, since leaving the scope waits for the load.
                defer { done.store(true, ordering: .releasing) }
                var connects: [Int64] = []
                var timeouts: [Int64] = []
                for round in 0..<20 {
                    let begin = Clock.uptime()
                    let client = try running.connect()
                    #expect(try client.ask(#"{"op":"ping","id":1}"#).json("ok") == true)
                    connects.append(Clock.uptime() - begin)
                    if round % 2 == 0 {
                        let begin = Clock.uptime()
                        let reply = try waiting.ask(
                            #"{"op":"await","id":2,"to":"counter/c","until":"done","#
                                + #""timeout_ms":20}"#)
                        #expect(try reply.json("error")?["code"] == "TIMEOUT", "\(reply)")
                        timeouts.append(Clock.uptime() - begin)
                    }
                }
                done.store(true, ordering: .releasing)
                #expect(try await acknowledged > 20)
                // The tick of each second would come after half a second on average.
                #expect(connects.sorted()[10] < 200, "\(connects) ms")
                #expect(timeouts.sorted()[5] < 250, "\(timeouts) ms")
            }
        }
    }
}
