import GroveClient
import GroveTestSupport
import OrderedJSON
import Testing

@Suite("Client and server", .ownThreads, .timeLimit(.minutes(3)))
struct EndToEndTests {
    @Test func `an event is applied once per key, and can be read back`() async throws {
        let server = try ServedFile()
        let client = Client(server: server.address)
        let first = try await client.send(
            to: "counter/a", event: ["type": "add", "amount": 5], dedup: "k", reply: .full)
        #expect(first.version == 1 && first.isChanged && first.outputs == [5])
        let again = try await client.send(
            to: "counter/a", event: ["type": "add", "amount": 5], dedup: "k")
        #expect(again.isDuplicate && again.version == 1 && again.cursor == first.cursor)
        let other = await failure {
            try await client.send(to: "counter/a", event: "reset", dedup: "k")
        }
        #expect(other?.code == "DEDUP_MISMATCH")
        let conflict = await failure {
            try await client.send(to: "counter/a", event: "reset", expect: .version(7))
        }
        guard case .server(let error) = conflict else { throw FakeServerError(text: "no error") }
        #expect(error.code == "VERSION_CONFLICT" && error.data == ["v": 1])
        #expect(try await client.get("counter/a").state == ["count": 5])
        #expect(try await client.get("counter/a", at: 0).state == ["count": 0])
        let steps = try await client.history(of: "counter/a")
        #expect(steps.items.map(\.dedup) == ["k"] && steps.next == nil)
        #expect(steps.items.first?.event == ["type": "add", "amount": 5])
        #expect(server.stop() == 0)
    }

    @Test func `instances are listed page by page`() async throws {
        let server = try ServedFile()
        let client = Client(server: server.address)
        for number in 0..<25 { try await _ = client.create("counter/i-\(number + 10)") }
        _ = try await client.create("turnstile/gate")
        var names: [String] = []
        for try await item in client.instances(ListFilter(machine: "counter"), pageSize: 10) {
            names.append(item.name)
        }
        #expect(names == (10..<35).map { "counter/i-\($0)" })
        let machines = try await client.definitions().map(\.name)
        #expect(Set(machines).isSuperset(of: ["counter", "order", "turnstile"]))
        try await client.stop("turnstile/gate", reason: "over")
        let done = try await client.list(ListFilter(isDone: true))
        #expect(done.items.map(\.name) == ["turnstile/gate"])
        let counted = try await client.definitions(counts: true)
        let counts: [String: DefinitionSummary.Counts?] = Dictionary(
            uniqueKeysWithValues: counted.map { ($0.name, $0.counts) })
        #expect(counts["counter"]??.instances == 25 && counts["counter"]??.done == 0)
        #expect(counts["turnstile"]??.instances == 1 && counts["turnstile"]??.done == 1)
        #expect(counts["order"]??.instances == 0 && counts["order"]??.failed == 0)
        #expect(try await client.definitions().allSatisfy { $0.counts == nil })
        let late = await failure { try await client.send(to: "turnstile/gate", event: "COIN") }
        #expect(late?.code == "INSTANCE_DONE")
        try await client.delete("turnstile/gate")
        #expect(
            await failure { try await client.get("turnstile/gate") }?.code == "NO_SUCH_INSTANCE")
    }

    @Test func `a subscription outlives crashes and restarts without a gap or a repeat`()
        async throws
    {
        let server = try ServedFile()
        var options = ClientOptions(server: server.address, credit: 8)
        options.reconnect = ReconnectPolicy(
            initialDelay: .milliseconds(5), delayMax: .milliseconds(20))
        let watcher = Client(options: options)
        let subscription = try await watcher.subscribe(
            SubscriptionRequest(machine: "counter", kinds: [.output]))
        let collector = Task {
            var outputs: [Int64] = []
            for try await record in subscription {
                outputs.append(record.data?.integer ?? -1)
                if outputs.count == 100 { break }
            }
            return outputs
        }
        let sender = Client(server: server.address)
        for number in 1...100 {
            _ = try await sender.send(to: "counter/a", event: "increment", dedup: "k-\(number)")
            if number == 30 || number == 80 {
                server.kill()
                try server.start()
                // The sender's own connection is closed: the next request makes a new one.
                _ = await failure { try await sender.ping() }
            } else if number == 60 {
                #expect(server.stop() == 0)
                try server.start()
                _ = await failure { try await sender.ping() }
            }
        }
        #expect(try await collector.value == (1...100).map { Int64($0) })
        await watcher.close()
    }

    @Test func `a snapshot and later records join without a gap`() async throws {
        let server = try ServedFile()
        let client = Client(server: server.address)
        for number in 0..<20 {
            _ = try await client.send(to: "counter/i-\(number)", event: "increment")
        }
        let subscription = try await client.subscribe(
            SubscriptionRequest(machine: "counter", kinds: [.state], wantsSnapshot: true, credit: 4)
        )
        _ = try await client.send(to: "counter/i-3", event: ["type": "add", "amount": 9])
        var present = 0
        for try await record in subscription {
            if record.isSnapshot {
                present += 1
                #expect(record.value("after") == ["count": 1])
                continue
            }
            #expect(record.name == "counter/i-3" && record.value("after") == ["count": 10])
            break
        }
        #expect(present == 20)
    }

    @Test func `a cursor of another file is refused`() async throws {
        let one = try ServedFile()
        let other = try ServedFile()
        let reply = try await Client(server: one.address).send(to: "counter/a", event: "increment")
        let cursor = try #require(reply.cursor)
        let error = await failure {
            try await Client(server: other.address).subscribe(
                SubscriptionRequest(start: .after(cursor)))
        }
        #expect(error?.code == "CURSOR_FOREIGN")
    }

    @Test func `the tool sends, shows and follows`() async throws {
        let server = try ServedFile()
        let sent = try await Tool.run(
            "send", "counter/a", "-", "--json", server: server.address,
            input: String(repeating: "increment\n", count: 1000))
        #expect(sent.code == 0 && sent.lines.count == 1000)
        let get = try await Tool.run("get", "counter/a", "--json", server: server.address)
        #expect(get.output.contains(#""state":{"count":1000}"#))
        let history = try await Tool.run(
            "history", "counter/a", "--all", "--limit", "300", "--json", server: server.address)
        #expect(history.lines.count == 1000)
        let watch = try await Tool.run(
            "watch", "counter/a", "--kind", "output", "--from", "first", "--count", "1000",
            "--json", server: server.address)
        #expect(watch.code == 0 && watch.lines.count == 1000)
        let last = try JSONValue(parsing: Array((watch.lines.last ?? "").utf8))
        #expect(last["v"] == 1000 && last["data"] == 1000)
        let ping = try await Tool.run("ping", server: server.address)
        #expect(ping.code == 0 && ping.output.contains("  grove "))
        let stats = try await Tool.run("stats", "--json", server: server.address)
        #expect(stats.code == 0 && stats.lines.count == 1)
    }
}
