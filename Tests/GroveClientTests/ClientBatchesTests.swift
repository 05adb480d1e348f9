import GroveClient
import GroveTestSupport
import OrderedJSON
import Testing

@Suite("Client: batch, can, describe", .ownThreads, .timeLimit(.minutes(2)))
struct ClientBatchesTests {
    @Test func `a batch has only the given fields of its items`() async throws {
        let server = try FakeServer { connection in
            try connection.greet()
            let line = try connection.line() ?? ""
            let expected =
                #"{"op":"batch","id":2,"items":[{"to":"c/a","event":"go"},"#
                + #"{"to":"c/b","event":{"type":"add","amount":5},"dedup":"k","expect":3,"#
                + #""create":"never","reply":"full"},{"to":"c/c","event":"raw"}]}"#
            try connection.require(line == expected, line)
            try connection.write(#"{"id":2,"ok":true,"results":[]}"#)
        }
        let reply = try await Client(options: options(server)).batch([
            BatchItem(to: "c/a", event: "go"),
            BatchItem(
                to: "c/b", event: ["type": "add", "amount": 5], dedup: "k", expect: .version(3),
                create: .never, reply: .full),
            BatchItem(text: Array(#"{"to":"c/c","event":"raw"}"#.utf8)),
        ])
        #expect(reply.results.isEmpty)
        try await server.finish()
    }

    @Test func `results are in order, with refusals among them`() async throws {
        let server = try FakeServer { connection in
            try connection.greet()
            let request = try connection.request("batch")
            try connection.require(request["atomic"] == nil, "\(request)")
            try connection.reply(
                request,
                #""results":[{"ok":true,"v":4,"cur":"c4","changed":true,"state":{"n":1}},"#
                    + #"{"error":{"code":"BAD_EVENT","message":"no","retry":false}},"#
                    + #"{"ok":true,"v":1,"dup":true}]"#)
        }
        let item = BatchItem(to: "c/a", event: "go")
        let reply = try await Client(options: options(server)).batch([item, item, item])
        let results = reply.results
        try #require(results.count == 3)
        #expect(try results[0].get().version == 4 && results[0].get().state == ["n": 1])
        guard case .failure(let error) = results[1] else { throw FakeServerError(text: "?") }
        #expect(error.code == "BAD_EVENT")
        #expect(try results[2].get().isDuplicate)
        try await server.finish()
    }

    @Test func `invalid results are a protocol violation`() async throws {
        for fields in [#""x":1"#, #""results":5"#, #""results":[{"ok":true}]"#] {
            let server = try FakeServer { connection in
                try connection.greet()
                try connection.reply(try connection.request("batch"), fields)
            }
            let error = await failure {
                try await Client(options: options(server)).batch([])
            }
            guard case .protocolViolation = error else {
                Issue.record("\(fields): \(String(describing: error))")
                continue
            }
        }
    }

    // MARK: With a server

    @Test func `a batch is applied, atomically if asked`() async throws {
        let server = try ServedFile()
        let client = Client(server: server.address)
        let items = [
            BatchItem(to: "counter/a", event: "increment", dedup: "k"),
            BatchItem(to: "turnstile/gate", event: "PUSH"),
        ]
        let error = await failure { try await client.batch(items, atomic: true) }
        guard case .server(let refusal) = error else { throw FakeServerError(text: "no error") }
        #expect(refusal.code == "EVENT_REJECTED" && refusal.data?["index"] == 1)
        #expect(await failure { try await client.get("counter/a") }?.code == "NO_SUCH_INSTANCE")
        let results = try await client.batch(items).results
        try #require(results.count == 2)
        #expect(try results[0].get().version == 1)
        let again = try await client.batch([items[0]], atomic: true).results
        #expect(try again[0].get().isDuplicate)
        #expect(server.stop() == 0)
    }

    @Test func `can asks about an event without applying it`() async throws {
        let server = try ServedFile()
        let client = Client(server: server.address)
        let yes = try await client.can("turnstile/gate", event: "COIN")
        #expect(yes.isPossible && yes.state == "unlocked" && yes.reason == nil)
        let no = try await client.can("turnstile/gate", event: "PUSH")
        #expect(!no.isPossible && no.accepts == ["COIN"] && no.state == nil)
        #expect(no.reason == "the turnstile is locked")
        #expect(
            await failure { try await client.get("turnstile/gate") }?.code == "NO_SUCH_INSTANCE")
        #expect(
            await failure { try await client.can("turnstile/gate", event: "KICK") }?.code
                == "BAD_EVENT")
    }

    @Test func `a machine is described`() async throws {
        let server = try ServedFile()
        let client = Client(server: server.address)
        let machine = try await client.describe("turnstile")
        #expect(machine.states == ["locked", "unlocked"] && machine.events == ["COIN", "PUSH"])
        let coin = try #require(machine.transitions.first)
        #expect(coin.from == "locked" && coin.event == "COIN" && coin.to == "unlocked")
        #expect(!coin.isObserved && machine.transitions.count == 2)
        #expect(machine.diagram.hasPrefix("stateDiagram-v2"))
        #expect(machine.takes.map(\.name) == ["COIN", "PUSH"])
        let order = try await client.describe("order").takes
        #expect(order.first?.members.map(\.name) == ["total"])
        #expect(order.first?.members.first?.expected == "an integer")
        #expect(order.filter(\.isInternal).map(\.name).contains("expire"))
        #expect(try await client.describe("order", format: .dot).diagram.hasPrefix("digraph"))
        #expect(
            await failure { try await client.describe("door") }?.code == "NO_SUCH_MACHINE")
    }
}
