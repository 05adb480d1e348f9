import GroveClient
import GroveTestSupport
import OrderedJSON
import Testing

@Suite("Pages", .ownThreads, .timeLimit(.minutes(2)))
struct PagingTests {
    @Test func `lists page after page until there is no next`() async throws {
        let server = try FakeServer { connection in
            try connection.greet()
            for page in 0..<3 {
                let list = try connection.request("list")
                try connection.require(list["machine"] == "order", "\(list)")
                try connection.require(list["done"] == false, "\(list)")
                try connection.require(list["outdated"] == true, "\(list)")
                try connection.require(list["limit"] == 2, "\(list)")
                let after: JSONValue? = page == 0 ? nil : .string("n\(page)")
                try connection.require(list["after"] == after, "\(list)")
                let item = #"{"to":"order/\#(page)","v":\#(page),"state":"s","done":false}"#
                // The second page is empty, and yet not the last.
                let items = page == 1 ? "" : "\(item),\(item)"
                let next = page == 2 ? "" : #","next":"n\#(page + 1)""#
                try connection.reply(list, #""items":[\#(items)]\#(next)"#)
            }
        }
        let client = Client(options: options(server))
        var names: [String] = []
        let filter = ListFilter(machine: "order", isDone: false, isOutdated: true)
        for try await item in client.instances(filter, pageSize: 2) { names.append(item.name) }
        #expect(names == ["order/0", "order/0", "order/2", "order/2"])
        try await server.finish()
    }

    @Test func `reads a history from a version on`() async throws {
        let server = try FakeServer { connection in
            try connection.greet()
            let first = try connection.request("history")
            try connection.require(first["after"] == 3, "\(first)")
            try connection.reply(
                first,
                #""items":[{"v":4,"event":"go","outputs":[1,2],"at":"t","dedup":"k"}],"next":4"#)
            let second = try connection.request("history")
            try connection.require(second["after"] == 4, "\(second)")
            try connection.reply(second, #""items":[{"v":5,"event":{"type":"x"},"outputs":[]}]"#)
        }
        let client = Client(options: options(server))
        var steps: [HistoryStep] = []
        for try await step in client.steps(of: "a/b", after: 3) { steps.append(step) }
        #expect(steps.map(\.version) == [4, 5])
        #expect(steps.map(\.event) == ["go", ["type": "x"]])
        #expect(steps[0].outputs == [1, 2] && steps[0].dedup == "k" && steps[0].at == "t")
        try await server.finish()
    }

    @Test func `an error in the middle can be tried again`() async throws {
        let server = try FakeServer { connection in
            try connection.greet()
            try connection.reply(
                try connection.request("list"), #""items":[{"to":"a/1","v":1}],"next":"n""#)
            try connection.refuse(try connection.request("list"), "UNAVAILABLE", retry: true)
            try connection.reply(try connection.request("list"), #""items":[{"to":"a/2","v":1}]"#)
        }
        var iterator = Client(options: options(server)).instances().makeAsyncIterator()
        #expect(try await iterator.next()?.name == "a/1")
        do throws(ClientError) {
            _ = try await iterator.next()
            Issue.record("the error was swallowed")
        } catch {
            #expect(error.code == "UNAVAILABLE")
        }
        #expect(try await iterator.next()?.name == "a/2")
        #expect(try await iterator.next() == nil)
        try await server.finish()
    }

    @Test(arguments: [#""items":7"#, #""x":1"#, #""items":[{"v":1}]"#])
    func `an invalid page is a protocol violation`(fields: String) async throws {
        let server = try FakeServer { connection in
            try connection.greet()
            try connection.reply(try connection.request("list"), fields)
        }
        let client = Client(options: options(server))
        #expect(await failure { try await client.list() }?.code == "PROTOCOL_VIOLATION")
        try await server.finish()
    }
}
