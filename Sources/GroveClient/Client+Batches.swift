import GroveWire
import OrderedJSON

extension Client {
    /// Sends several events as one request: they are applied in their order, in one commit, with
    /// nothing in between.
    ///
    /// - Parameters:
    ///   - items: at most 1,000 events that fit into one line of the server's `max_line`.
    ///   - isAtomic: whether all are applied or none. If one is refused, the error is its error,
    ///     with its `index` in the data, and nothing has happened.
    ///   - timeout: how long to wait for the answer; `nil` is ``ClientOptions/requestTimeout``.
    /// - Returns: what became of each item.
    /// - Throws: ``ClientError``. Items without a dedup key get one, as a `send` does, so the batch
    ///   is repeated over a lost connection; unless some are JSON text, which is taken as it is.
    ///   Then, and with ``RetryPolicy/never``, a repeat is safe as far as the items have keys.
    public nonisolated func batch(
        _ items: [BatchItem], atomic isAtomic: Bool = false, timeout: Duration? = nil
    ) async throws(ClientError) -> BatchReply {
        let items = items.map { item in
            item.isOpen ? makeKey().map { item.withKey($0) } ?? item : item
        }
        var request = Request.batch(items, atomic: isAtomic)
        request.isRepeatable = items.allSatisfy(\.hasKey)
        return try BatchReply(try await self.request(request, timeout: timeout))
    }

    /// Asks whether an instance would take an event, and where that would lead. Nothing changes;
    /// an absent instance answers as it would begin.
    ///
    /// - Throws: ``ClientError``; an event that isn't the machine's is `BAD_EVENT`.
    public nonisolated func can(
        _ name: String, event: JSONValue, timeout: Duration? = nil
    ) async throws(ClientError) -> CanReply {
        try CanReply(
            try await request(Request.can(name, event: event.serialized()), timeout: timeout))
    }

    /// What a machine can do, as far as it says so or it was observed.
    ///
    /// - Throws: ``ClientError``; a machine that isn't hosted is `NO_SUCH_MACHINE`.
    public nonisolated func describe(
        _ machine: String, format: DiagramFormat = .mermaid, timeout: Duration? = nil
    ) async throws(ClientError) -> DescribeReply {
        var request = Request(.describe)
        request.set("name", .string(machine))
        request.set("format", .string(format.rawValue))
        return try DescribeReply(try await self.request(request, timeout: timeout))
    }
}

extension Request {
    /// A `batch` of these items.
    public static func batch(_ items: [BatchItem], atomic isAtomic: Bool = false) -> Request {
        var request = Request(.batch)
        if isAtomic { request.set("atomic", .bool(true)) }
        var text: [UInt8] = [UInt8(ascii: "[")]
        for (index, item) in items.enumerated() {
            if index > 0 { text.append(UInt8(ascii: ",")) }
            text += item.text
        }
        text.append(UInt8(ascii: "]"))
        request.set("items", text: text)
        return request
    }

    /// A `can` whose event is JSON text already.
    public static func can(_ name: String, event: some Collection<UInt8>) -> Request {
        var request = Request.about(name, .can)
        request.set("event", text: event)
        return request
    }
}
