import GroveClient
import GroveTestSupport
import OrderedJSON
import Testing

@Suite("Subscription", .ownThreads, .timeLimit(.minutes(2)))
struct SubscriptionTests {
    private static func record(_ number: Int) -> String {
        """
        {"sub":"s1","cur":"c\(number)","to":"order/o","v":\(number),"kind":"output",\
        "data":{"n":\(number)},"at":"t"}
        """
    }

    private func numbers(_ subscription: Subscription, _ count: Int) async throws -> [Int64] {
        var numbers: [Int64] = []
        for try await record in subscription {
            numbers.append(record.version ?? -1)
            if numbers.count == count { break }
        }
        return numbers
    }

    @Test func `a subscription sends its selection`() async throws {
        let server = try FakeServer { connection in
            try connection.greet()
            let line = try connection.line() ?? ""
            let expected = """
                {"op":"subscribe","id":2,"sub":"s1","select":{"machine":"order",\
                "instance":"o-*","kind":["output","state"],"type":"invoice.*"},\
                "from":{"after":"c1"},"credit":7,"slow":"conflate"}
                """
            try connection.require(line == expected, line)
            try connection.write(#"{"id":2,"ok":true,"sub":"s1","cur":"c1","first":"c0"}"#)
        }
        _ = try await Client(options: options(server)).subscribe(
            SubscriptionRequest(
                machine: "order", instance: "o-*", kinds: [.output, .state], type: "invoice.*",
                start: .after("c1"), slow: .conflate, credit: 7))
        try await server.finish()
    }

    @Test func `records have their fields`() async throws {
        let server = try FakeServer { connection in
            try connection.greet()
            try connection.reply(try connection.request("subscribe"), #""sub":"s1","cur":"c0""#)
            try connection.write(
                """
                {"sub":"s1","cur":"c1","to":"order/o","v":3,"kind":"state","before":1.50,\
                "after":{"x":[]},"at":"2026-01-01T00:00:00.000Z"}
                """)
            try connection.awaitClose()
        }
        let subscription = try await Client(options: options(server)).subscribe()
        let iterator = subscription.makeAsyncIterator()
        let record = try #require(try await iterator.next())
        #expect(record.cursor == "c1" && record.name == "order/o" && record.version == 3)
        #expect(record.kind == .state && record.type == nil && !record.isSnapshot)
        #expect(record.value("after") == ["x": []] && record.at == "2026-01-01T00:00:00.000Z")
        let text = """
            {"cur":"c1","to":"order/o","v":3,"kind":"state","before":1.50,"after":{"x":[]},\
            "at":"2026-01-01T00:00:00.000Z"}
            """
        #expect(String(decoding: record.text, as: UTF8.self) == text)
        #expect(subscription.cursor == "c1")
    }

    @Test func `a subscription resumes after the last whole record`() async throws {
        let stream = Array((1...3).map { SubscriptionTests.record($0) + "\n" }.joined().utf8)
        for end in 0...stream.count {
            let whole = stream[..<end].count { $0 == UInt8(ascii: "\n") }
            let server = try FakeServer(
                { connection in
                    try connection.greet()
                    try connection.reply(try connection.request("subscribe"), #""cur":"c0""#)
                    try connection.write(bytes: stream[..<end])
                },
                { connection in
                    try connection.greet()
                    let again = try connection.request("subscribe")
                    try connection.require(
                        again["from"] == ["after": .string("c\(whole)")], "\(again)")
                    try connection.reply(again, #""cur":"c9""#)
                    for number in whole..<4 {
                        try connection.write(SubscriptionTests.record(number + 1))
                    }
                    try connection.awaitClose()
                })
            let subscription = try await Client(options: options(server)).subscribe()
            #expect(try await numbers(subscription, 4) == [1, 2, 3, 4], "cut behind byte \(end)")
            subscription.cancel()
        }
    }

    @Test func `a subscription retries until the server is back`() async throws {
        let server = try FakeServer(
            { connection in
                try connection.greet()
                try connection.reply(try connection.request("subscribe"), #""cur":"c0""#)
                try connection.write(SubscriptionTests.record(1))
            },
            { _ in },
            { connection in
                try connection.write(
                    #"{"id":null,"error":{"code":"OVERLOADED","message":"","retry":true}}"#)
            },
            { connection in
                try connection.greet()
                try connection.refuse(
                    try connection.request("subscribe"), "UNAVAILABLE", retry: true)
                try connection.reply(try connection.request("subscribe"), #""cur":"c1""#)
                try connection.write(SubscriptionTests.record(2))
                try connection.awaitClose()
            })
        let subscription = try await Client(options: options(server)).subscribe()
        #expect(try await numbers(subscription, 2) == [1, 2])
    }

    @Test func `all items include interruptions`() async throws {
        let server = try FakeServer(
            { connection in
                try connection.greet()
                try connection.reply(try connection.request("subscribe"), #""cur":"c0""#)
                try connection.write(#"{"sub":"s1","cur":"c0","mark":"live"}"#)
            },
            { connection in
                try connection.greet()
                try connection.reply(try connection.request("subscribe"), #""cur":"c0""#)
                try connection.write(
                    #"{"sub":"s1","cur":"c5","mark":"gap","from":"c0","to":"c5","reason":"old"}"#)
                try connection.write(SubscriptionTests.record(6))
                try connection.awaitClose()
            })
        let subscription = try await Client(options: options(server)).subscribe()
        var texts: [String] = []
        for try await item in subscription.items {
            switch item {
            case .record(let record): texts.append("record \(record.version ?? 0)")
            case .mark(.gap(let gap)): texts.append("gap \(gap.from ?? "") \(gap.to ?? "")")
            case .mark(let mark): texts.append("\(mark)")
            case .interrupted(let error): texts.append(error.code)
            case .resumed(let isAnew): texts.append("resumed \(isAnew)")
            }
            if case .record = item { break }
        }
        #expect(texts == ["live", "CONNECTION_LOST", "resumed false", "gap c0 c5", "record 6"])
    }

    @Test func `a gap is an error for records only, and then they continue`()
        async throws
    {
        let server = try FakeServer { connection in
            try connection.greet()
            try connection.reply(try connection.request("subscribe"), #""cur":"c0""#)
            try connection.write(#"{"sub":"s1","cur":"c5","mark":"gap","reason":"old"}"#)
            try connection.write(SubscriptionTests.record(6))
            try connection.awaitClose()
        }
        let subscription = try await Client(options: options(server)).subscribe()
        let iterator = subscription.makeAsyncIterator()
        let error = await failure { try await iterator.next() }
        #expect(error == .gap(SubscriptionGap(from: nil, to: nil, reason: "old")))
        #expect(try await iterator.next()?.version == 6)
    }

    @Test func `an interrupted snapshot starts again`() async throws {
        let snapshot = #"{"sub":"s1","to":"a/b","v":1,"kind":"state","after":1,"snapshot":true}"#
        let server = try FakeServer(
            { connection in
                try connection.greet()
                try connection.reply(try connection.request("subscribe"), #""cur":"c0""#)
                try connection.write(snapshot)
            },
            { connection in
                try connection.greet()
                let again = try connection.request("subscribe")
                try connection.require(again["from"] == "now", "\(again)")
                try connection.require(again["snapshot"] == true, "\(again)")
                try connection.reply(again, #""cur":"c0""#)
                try connection.write(snapshot)
                try connection.write(#"{"sub":"s1","cur":"c7","mark":"snapshot"}"#)
            },
            { connection in
                try connection.greet()
                let again = try connection.request("subscribe")
                try connection.require(again["from"] == ["after": "c7"], "\(again)")
                try connection.require(again["snapshot"] == nil, "\(again)")
                try connection.reply(again, #""cur":"c7""#)
                try connection.write(SubscriptionTests.record(8))
                try connection.awaitClose()
            })
        let client = Client(options: options(server))
        let subscription = try await client.subscribe(SubscriptionRequest(wantsSnapshot: true))
        for try await record in subscription where !record.isSnapshot {
            #expect(record.version == 8)
            break
        }
        await client.close()
        try await server.finish()
    }

    @Test(arguments: ["CURSOR_FOREIGN", "CURSOR_TOO_OLD"])
    func `a refused cursor ends a subscription`(code: String) async throws {
        let server = try FakeServer(
            { connection in
                try connection.greet()
                try connection.reply(try connection.request("subscribe"), #""cur":"c0""#)
                try connection.write(SubscriptionTests.record(1))
            },
            { connection in
                try connection.greet()
                try connection.refuse(try connection.request("subscribe"), code)
                try connection.awaitClose()
            })
        let subscription = try await Client(options: options(server)).subscribe()
        let iterator = subscription.makeAsyncIterator()
        #expect(try await iterator.next()?.version == 1)
        #expect(await failure { try await iterator.next() }?.code == code)
        #expect(try await iterator.next() == nil)
    }

    @Test func `a refused subscription fails at once`() async throws {
        let server = try FakeServer { connection in
            try connection.greet()
            try connection.refuse(try connection.request("subscribe"), "LIMIT")
            try connection.awaitClose()
        }
        let client = Client(options: options(server))
        #expect(await failure { try await client.subscribe() }?.code == "LIMIT")
    }

    @Test func `ends when the policy gives up`() async throws {
        let server = try FakeServer { connection in
            try connection.greet()
            try connection.reply(try connection.request("subscribe"), #""cur":"c0""#)
        }
        let client = Client(options: options(server, attemptsMax: 2))
        let subscription = try await client.subscribe()
        let iterator = subscription.makeAsyncIterator()
        #expect(await failure { try await iterator.next() }?.code == "UNREACHABLE")
        #expect(try await iterator.next() == nil)
    }

    @Test func `credit is granted as the consumer reads records`() async throws {
        let server = try FakeServer { connection in
            try connection.greet()
            let subscribe = try connection.request("subscribe")
            try connection.require(subscribe["credit"] == 4, "\(subscribe)")
            try connection.reply(subscribe, #""cur":"c0""#)
            var credit: Int64 = 4
            var sent = 0
            while sent < 100 {
                while credit > 0, sent < 100 {
                    sent += 1
                    credit -= 1
                    try connection.write(SubscriptionTests.record(sent))
                }
                if sent >= 100 { break }
                let grant = try connection.request("credit")
                try connection.require(grant["sub"] == "s1" && grant["id"] == nil, "\(grant)")
                let more = grant["n"]?.integer ?? 0
                try connection.require((2...4).contains(more), "\(grant)")
                credit += more
            }
            try connection.awaitClose()
        }
        let client = Client(options: options(server, credit: 4))
        let subscription = try await client.subscribe()
        #expect(try await numbers(subscription, 100) == (1...100).map { Int64($0) })
        await client.close()
        try await server.finish()
    }

    @Test func `cancelling ends the sequence, and the subscription on the server`() async throws {
        let server = try FakeServer { connection in
            try connection.greet()
            try connection.reply(try connection.request("subscribe"), #""cur":"c0""#)
            let end = try connection.request("unsubscribe")
            try connection.require(end["sub"] == "s1" && end["id"] == nil, "\(end)")
        }
        let subscription = try await Client(options: options(server)).subscribe()
        subscription.cancel()
        let iterator = subscription.makeAsyncIterator()
        #expect(try await iterator.next() == nil)
        try await server.finish()
    }

    @Test func `releasing a subscription ends it on the server`() async throws {
        let server = try FakeServer { connection in
            try connection.greet()
            try connection.reply(try connection.request("subscribe"), #""cur":"c0""#)
            _ = try connection.request("unsubscribe")
        }
        let client = Client(options: options(server))
        _ = try await client.subscribe()
        try await server.finish()
    }

    @Test func `a cancelled task gets the end`() async throws {
        let server = try FakeServer { connection in
            try connection.greet()
            try connection.reply(try connection.request("subscribe"), #""cur":"c0""#)
            try connection.awaitClose()
        }
        let subscription = try await Client(options: options(server)).subscribe()
        let task = Task {
            let iterator = subscription.makeAsyncIterator()
            return try await iterator.next() == nil
        }
        task.cancel()
        #expect(try await task.value)
    }
}
