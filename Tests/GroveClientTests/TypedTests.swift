import BuiltInMachines
import GroveClient
import GroveTestSupport
import OrderedJSON
import Testing

@Suite("Client: Swift types", .ownThreads, .timeLimit(.minutes(2)))
struct TypedTests {
    @Test func `events are written as their machine reads them`() async throws {
        let server = try FakeServer { connection in
            try connection.greet()
            let expected: [JSONValue] = [["type": "add", "amount": 5], "COIN"]
            for event in expected {
                let send = try connection.request("send")
                try connection.require(send["event"] == event, "\(send)")
                try connection.reply(send, #""v":1"#)
            }
            let last = try connection.request("send")
            try connection.require(last["expect"] == "exists", "\(last)")
            try connection.require(last["create"] == "never", "\(last)")
            try connection.require(last["dedup"] == "k", "\(last)")
            try connection.reply(last, #""v":3,"state":{"count":3}"#)
        }
        let client = Client(options: options(server))
        _ = try await client.send(to: "counter/a", encoding: Counter.Event.add(amount: 5))
        _ = try await client.send(to: "turnstile/a", encoding: Turnstile.Event.coin)
        let reply = try await client.send(
            to: "counter/a", encoding: Counter.Event.reset, dedup: "k", expect: .exists,
            create: .never, reply: .state)
        #expect(reply.version == 3)
        let error = await failure { try await client.send(to: "c/a", encoding: Double.infinity) }
        #expect(error?.code == "INVALID_REQUEST")
        try await server.finish()
    }

    @Test func `outputs are values, and one of another type is skipped`() async throws {
        let server = try FakeServer { connection in
            try connection.greet()
            let subscribe = try connection.request("subscribe")
            try connection.require(subscribe["select"]?["kind"] == ["output"], "\(subscribe)")
            try connection.reply(subscribe, #""cur":"c0""#)
            for (cursor, data) in ["1", #""x""#, "3"].enumerated() {
                try connection.write(
                    #"{"sub":"s1","cur":"\#(cursor)","to":"c/a","kind":"output","data":\#(data)}"#)
            }
            try connection.awaitClose()
        }
        let client = Client(options: options(server))
        let request = SubscriptionRequest(machine: "c", kinds: [.state])
        let outputs: OutputSubscription<Int> = try await client.outputs(of: request)
        let iterator = outputs.makeAsyncIterator()
        #expect(try await iterator.next()?.output == 1)
        let error = await failure { try await iterator.next() }
        #expect(error?.code == "UNDECODABLE" && error?.isRetryable == false)
        let last = try await iterator.next()
        #expect(last?.output == 3 && last?.record.name == "c/a" && outputs.cursor == "2")
        outputs.cancel()
        #expect(try await iterator.next() == nil)
        await client.close()
        try await server.finish()
    }

    @Test func `states are values, where there are any`() async throws {
        let server = try FakeServer { connection in
            try connection.greet()
            try connection.reply(
                try connection.request("get"), #""v":1,"state":{"count":7},"done":false"#)
            try connection.reply(try connection.request("subscribe"), #""cur":"c0""#)
            try connection.write(
                #"{"sub":"s1","cur":"c1","to":"c/a","v":1,"kind":"state","after":{"count":8}}"#)
            try connection.awaitClose()
        }
        let client = Client(options: options(server))
        let reply = try await client.get("c/a")
        #expect(try reply.state(as: Counter.State.self) == Counter.State(count: 7))
        #expect(throws: ClientError.self) { try reply.state(as: Turnstile.State.self) }
        let records = try await client.subscribe().makeAsyncIterator()
        let record = try #require(try await records.next())
        #expect(try record.state(as: Counter.State.self) == Counter.State(count: 8))
        #expect(throws: ClientError.undecodable("there is no \"data\"")) {
            try record.output(as: Int.self)
        }
        await client.close()
        try await server.finish()
    }
}
