import Foundation
import Glibc
import GroveTestSupport
import OrderedJSON
import Synchronization
import Testing

@testable import GroveServer

extension OverSockets {
    /// Long pages and a client that sends without pause don't block each other
    /// (docs/decisions/0019-pages-in-turns.md).
    @Suite("Pages under load", .timeLimit(.minutes(2)))
    struct PagesUnderLoadTests {
        private static let send = #"{"op":"send","id":1,"to":"counter/busy","event":"increment"}"#

        /// Creates a thousand instances, and one with a thousand steps.
        private func prepare(_ client: RawClient) throws {
            func batch(_ name: (Int) -> String) throws {
                let items = (0..<1_000).map { #"{"to":"\#(name($0))","event":"increment"}"# }
                let reply = try client.ask(
                    #"{"op":"batch","id":1,"items":[\#(items.joined(separator: ","))]}"#)
                #expect(try reply.json("results")?.array?.count == 1_000)
            }
            try batch { "counter/c\(1_000 + $0)" }
            try batch { _ in "counter/h" }
        }

        /// Keeps a few hundred events outstanding until it is stopped. Returns the highest version.
        private func load(_ running: RunningServer, until done: Flag) async throws -> Int64 {
            let client = try running.connect()
            let burst = Array(String(repeating: Self.send + "\n", count: 100).utf8)
            var (sent, version) = (Int64(0), Int64(0))
            while !done.isSet || version < sent {
                while !done.isSet, sent - version < 400 {
                    try client.send(burst)
                    sent += 100
                }
                let reply = try client.line()
                // Every ack arrives, in the order of the events.
                guard try reply.json("v") == .integer(version + 1) else {
                    throw RawClient.Failure(text: "after version \(version): \(reply)")
                }
                version += 1
                done.recordProgress()
            }
            return version
        }

        @Test func `long pages are answered under load, and so are all events`()
            async throws
        {
            let folder = try TemporaryFolder()
            chmod(folder.url.path, 0o700)
            try await RunningServer.with({ $0.store = .file(folder.path("grove.db")) }) {
                running in
                let client = try running.connect()
                try prepare(client)
                let done = Flag()
                async let acknowledged = load(running, until: done)
                while done.progress < 100 { await Task.yield() }
                let before = try commits(client)
                for _ in 0..<3 {
                    try client.send(
                        #"{"op":"history","id":"h","to":"counter/h","limit":1000}"# + "\n"
                            + #"{"op":"list","id":"l","prefix":"c","machine":"counter","#
                            + #""limit":1000}"# + "\n")
                    for _ in 0..<2 {
                        let page = try client.line()
                        let items = try #require(try page.json("items")?.array)
                        #expect(items.count == 1_000)
                        let first = items.first?.object
                        if try page.json("id") == "h" {
                            #expect(first?["v"] == 1 && items.last?.object?["v"] == 1_000)
                        } else {
                            #expect(first?["to"] == "counter/c1000")
                            #expect(items.last?.object?["to"] == "counter/c1999")
                        }
                    }
                }
                // Commits continued while the pages were read.
                #expect(try commits(client) > before)
                done.set()
                let version = try await acknowledged
                let got = try client.ask(#"{"op":"get","id":2,"to":"counter/busy"}"#)
                #expect(try got.json("v") == .integer(version))
            }
        }

        private func commits(_ client: RawClient) throws -> Int64 {
            try #require(
                try client.ask(#"{"op":"stats","id":1}"#).json("commits")?.integer)
        }
    }
}

/// The state that the sending and the reading task share.
private final class Flag: Sendable {
    private let value = Atomic(false)
    private let count = Atomic(0)

    var isSet: Bool { value.load(ordering: .acquiring) }
    func set() { value.store(true, ordering: .releasing) }

    /// The number of acks so far.
    var progress: Int { count.load(ordering: .relaxed) }
    func recordProgress() { count.wrappingAdd(1, ordering: .relaxed) }
}
