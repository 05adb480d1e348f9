import BuiltInMachines
import GroveTestSupport
import OrderedJSON
import Synchronization
import Testing

@testable import GroveClient

/// The server is killed, stopped and restarted while clients send and follow: nothing is lost,
/// nothing is repeated, and no call fails.
@Suite("Restarts under clients", .ownThreads, .timeLimit(.minutes(3)))
struct RestartTests {
    private static let instances = (0..<6).map { "counter/i-\($0)" }

    /// The values that senders share with the test.
    private final class Progress: Sendable {
        private let state = Mutex((acks: 0, isOver: false))

        var acks: Int { state.withLock { $0.acks } }
        var isOver: Bool { state.withLock { $0.isOver } }
        func ack() { state.withLock { $0.acks += 1 } }
        func end() { state.withLock { $0.isOver = true } }

        /// Waits for this number of further replies.
        func wait(forAcks more: Int) async throws {
            let goal = acks + more
            while acks < goal { try await Task.sleep(for: .milliseconds(1)) }
        }
    }

    private func client(_ server: ServedFile, _ order: RetryPolicy.Order = .pipelined) -> Client {
        Client(
            options: ClientOptions(
                server: server.address, requestTimeout: .seconds(120),
                reconnect: ReconnectPolicy(
                    initialDelay: .milliseconds(5), delayMax: .milliseconds(50)),
                retry: RetryPolicy(order: order), credit: 64))
    }

    /// Sends increments, many at a time, and returns their versions, in the order of the
    /// sends.
    private static func send(
        to name: String, by client: Client, _ progress: Progress
    ) async throws -> [Int64] {
        let request = Request.send(to: name, event: #""increment""#.utf8)
        var underWay: [PendingReply] = []
        var versions: [Int64] = []
        while !progress.isOver || !underWay.isEmpty {
            while underWay.count < 24, !progress.isOver { underWay.append(client.submit(request)) }
            guard !underWay.isEmpty else { break }
            versions.append(try await underWay.removeFirst().value.integer("v") ?? -1)
            progress.ack()
        }
        return versions
    }

    /// Follows all outputs up to that of `counter/end`, and sometimes restarts from its stored
    /// cursor, as a restarted program does.
    private static func follow(with client: Client) async throws -> [String: [Int64]] {
        var seen: [String: [Int64]] = [:]
        var start = SubscriptionRequest.Start.first
        var count = 0
        while true {
            let subscription = try await client.outputs(
                as: Int64.self, of: SubscriptionRequest(machine: "counter", start: start))
            for try await element in subscription {
                let record = element.record
                if record.name == "counter/end" { return seen }
                #expect(element.output == record.version)
                seen[record.name, default: []].append(element.output)
                start = .after(try #require(record.cursor))
                count += 1
                if count % 700 == 0 { break }
            }
        }
    }

    @Test func `twelve kills and stops: nothing lost, nothing twice, no error`() async throws {
        var random = SeededRandom(seed: 5)
        let server = try ServedFile()
        let progress = Progress()
        let sender = client(server)
        let strict = client(server, .oneByOne)
        let watcher = client(server)
        let remote = await RemoteCounter(Self.instances[1], client: watcher)
        try await remote.wait { $0.host.status == .live }
        let senders = Self.instances.enumerated().map { index, name in
            Task { try await Self.send(to: name, by: index == 0 ? strict : sender, progress) }
        }
        let following = Task { try await Self.follow(with: watcher) }
        for round in 1...12 {
            try await progress.wait(forAcks: Int.random(in: 20...200, using: &random))
            if round % 4 == 0 { #expect(server.stop() == 0) } else { server.kill() }
            if round % 3 == 0 {
                // Away for longer than a few attempts to reconnect take.
                while await sender.failures < 4 { try await Task.sleep(for: .milliseconds(1)) }
            }
            try server.start()
        }
        try await progress.wait(forAcks: 100)
        progress.end()
        var counts: [String: Int64] = [:]
        for (name, sender) in zip(Self.instances, senders) {
            let versions = try await sender.value
            #expect(versions == versions.indices.map { Int64($0 + 1) }, "\(name)")
            counts[name] = Int64(versions.count)
        }
        _ = try await sender.send(to: "counter/end", encoding: Counter.Event.increment)
        let seen = try await following.value
        for (name, count) in counts {
            let reply = try await sender.get(name)
            #expect(reply.version == count && reply.state == ["count": .integer(count)])
            #expect(seen[name] == (1...count).map { $0 }, "\(name)")
        }
        let count = Int(counts[Self.instances[1]] ?? 0)
        try await remote.wait { $0.host.state?.count == count && $0.outputs.count >= count }
        #expect(await remote.outputs == Array(1...count))
        for client in [sender, strict, watcher] { await client.close() }
    }
}
