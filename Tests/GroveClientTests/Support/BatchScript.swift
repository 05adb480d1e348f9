import GroveClient
import OrderedJSON

/// The requests of `grove batch` to a fake server, and its replies.
enum BatchScript {
    /// The first connection, on which the tool checks that there is a server.
    static func asked(maxLine: Int = 1 << 20) -> FakeServer.Script {
        { connection in
            try connection.greet(maxLine: maxLine)
            try connection.reply(try connection.request("ping"), #""time":"now""#)
            try connection.awaitClose()
        }
    }

    /// A batch that has arrived.
    struct Request {
        let request: JSONValue
        let items: [JSONValue]

        /// The events, which are words.
        var events: [String] { items.map { $0["event"]?.string ?? "" } }
    }

    /// The next batch, which must have this many events.
    static func next(_ connection: FakeConnection, count: Int) throws -> Request {
        let request = try connection.request("batch")
        let items = request["items"]?.array ?? []
        try connection.require(items.count == count, "\(items)")
        return Request(request: request, items: items)
    }

    /// Answers that all events were applied.
    static func accept(_ batch: Request, _ connection: FakeConnection) throws {
        let results = batch.items.indices.map { #"{"ok":true,"v":\#($0 + 1)}"# }
        try connection.reply(
            batch.request, #""results":[\#(results.joined(separator: ","))]"#)
    }
}
