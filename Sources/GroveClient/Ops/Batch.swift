import GroveWire
import OrderedJSON

extension Client {
    /// Sends several events as one request: they are applied in their order, in one commit, with
    /// nothing in between.
    ///
    /// - Parameters:
    ///   - items: At most 1,000 events that fit into one line of the server's `max_line`.
    ///   - isAtomic: Whether all are applied or none. If one is refused, the error is its error,
    ///     with its `index` in the data, and nothing has happened.
    /// - Returns: The result of each item.
    /// - Throws: ``ClientError``. Items without a dedup key get one, as a `send` does, so the batch
    ///   is repeated over a lost connection. Items of JSON text stay as they are: with these, and
    ///   with ``RetryPolicy/never``, a repeat is safe only for the items that have keys.
    public nonisolated func batch(
        _ items: [BatchItem], atomic isAtomic: Bool = false, timeout: Duration? = nil
    ) async throws(ClientError) -> BatchReply {
        let items = items.map { item in
            item.hasKey == false ? makeKey().map { item.withKey($0) } ?? item : item
        }
        var request = Request.batch(items, atomic: isAtomic)
        request.isRepeatable = items.allSatisfy { $0.hasKey == true }
        return try BatchReply(try await self.request(request, timeout: timeout))
    }
}

extension Request {
    /// A `batch` of these items.
    public static func batch(_ items: [BatchItem], atomic isAtomic: Bool = false) -> Request {
        var request = Request(.batch).with("atomic", isAtomic ? true : nil)
        let texts = items.map(\.text).joined(separator: [UInt8(ascii: ",")])
        request.set("items", text: [UInt8(ascii: "[")] + texts + [UInt8(ascii: "]")])
        return request
    }
}
