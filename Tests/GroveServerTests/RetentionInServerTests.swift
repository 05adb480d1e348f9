import Foundation
import GroveEngine
import OrderedJSON
import Testing

@testable import GroveServer

extension OverSockets {
    /// A server that truncates its journal while it serves clients.
    @Suite("Retention in a server", .timeLimit(.minutes(1)))
    struct RetentionInServerTests {
        /// Requests statistics until they meet the condition.
        private func wait(
            _ client: RawClient, until isMet: ([String: Int64]) -> Bool
        ) throws {
            while true {
                let reply = try client.ask(#"{"op":"stats","id":1}"#)
                let value = try JSONValue(parsing: Array(reply.utf8))
                var numbers: [String: Int64] = [:]
                for member in try #require(value.object) {
                    numbers[member.name] = member.value.integer
                }
                if isMet(numbers) { return }
            }
        }

        @Test func `old steps are removed while clients send, and states stay`() async throws {
            let folder = FileManager.default.temporaryDirectory.appending(
                path: "grove-retention-\(UUID().uuidString)")
            try FileManager.default.createDirectory(
                at: folder, withIntermediateDirectories: true)
            // If removal fails, the system cleans up its temporary files later.
            defer { try? FileManager.default.removeItem(at: folder) }
            let path = folder.path(percentEncoded: false) + "/grove.db"
            for round in 1...2 {
                try await RunningServer.with({ options in
                    options.store = .file(path)
                    options.retention.journal.stepsMax = 200
                }) { running in
                    let client = try running.connect()
                    for number in 1...600 {
                        let ack = try client.ask(
                            #"{"op":"send","id":1,"to":"counter/c","event":"increment","#
                                + #""dedup":"\#(round)-\#(number)"}"#)
                        #expect(ack.contains(#""ok":true"#))
                    }
                    try wait(client) { numbers in
                        (numbers["journal_steps"] ?? 0) < 260 && numbers["journal_first"] != 1
                    }
                    let got = try client.ask(#"{"op":"get","id":1,"to":"counter/c"}"#)
                    #expect(got.contains(#""v":\#(600 * round)"#))
                    let history = try client.ask(
                        #"{"op":"history","id":1,"to":"counter/c","limit":1}"#)
                    #expect(history.contains(#""first":"#))
                }
            }
        }

        @Test func `a machine's old steps are removed while clients send, others' stay`()
            async throws
        {
            try await RunningServer.with({ options in
                options.retention.machines["counter"] = JournalBounds(stepsMax: 20)
            }) { running in
                let client = try running.connect()
                _ = try client.ask(#"{"op":"create","id":1,"to":"turnstile/t"}"#)
                for _ in 1...300 {
                    let ack = try client.ask(
                        #"{"op":"send","id":1,"to":"counter/c","event":"increment"}"#)
                    #expect(ack.contains(#""ok":true"#))
                }
                var history = ""
                repeat {
                    history = try client.ask(#"{"op":"history","id":1,"to":"counter/c","limit":1}"#)
                } while !history.contains(#""first":281"#)
                let subscribed = try client.ask(
                    #"{"op":"subscribe","id":2,"sub":"t","from":"first","#
                        + #""select":{"machine":"turnstile"}}"#)
                #expect(subscribed.contains(#""ok":true"#))
                #expect(try client.line().contains(#""lifecycle":"created""#))
            }
        }

        @Test func `done instances are deleted after their time, with records`() async throws {
            try await RunningServer.with({ $0.retention.doneMillisecondsMax = 1 }) { running in
                let client = try running.connect()
                _ = try client.ask(
                    #"{"op":"send","id":1,"to":"counter/c","event":"increment"}"#)
                _ = try client.ask(
                    #"{"op":"subscribe","id":2,"sub":"s","select":{"kind":["lifecycle"]}}"#)
                #expect(try client.line().contains(#""mark":"live""#))
                try client.send(#"{"op":"stop","id":3,"to":"counter/c"}"# + "\n")
                var lines: [String] = []
                while lines.last?.contains(#""deleted""#) != true {
                    lines.append(try client.line())
                }
                #expect(lines.last?.contains(#""reason":"retention""#) == true)
            }
        }
    }
}
