import GroveNetwork

/// What a server tells about its instances, record by record, for as long as anyone asks.
///
/// When the connection breaks, the client reconnects by itself (``ReconnectPolicy``) and goes on
/// behind the last record: none is missed, none is repeated. Only a snapshot that was cut off
/// before its end is sent again. The sequence ends when the subscription is cancelled or its task
/// is; it throws when the server refuses to go on, for example with `CURSOR_TOO_OLD`, or when the
/// policy gives up.
///
/// A subscription is meant for one consumer; where several tasks ask for its records, each record
/// goes to one of them. The server sends only as many records ahead as
/// ``ClientOptions/credit`` says, so a consumer that takes its time costs no memory.
///
/// ```swift
/// for try await record in try await client.subscribe(.init(machine: "order")) {
///     print(record.name, record.data ?? .null)
/// }
/// ```
public struct Subscription: AsyncSequence, Sendable {
    /// Ends the subscription when the last one who could read from it is gone.
    final class Handle: Sendable {
        let client: Client
        let name: String
        let feed: SubscriptionFeed

        init(client: Client, name: String, feed: SubscriptionFeed) {
            self.client = client
            self.name = name
            self.feed = feed
        }

        deinit { cancel() }

        func cancel() {
            feed.update { $0.finish(nil) }
            let name = name
            client.post { $0.endSubscription(name) }
        }

        func next() async throws(ClientError) -> SubscriptionItem? {
            let item = try await feed.next().get()
            if feed.isGrantDue {
                let name = name
                client.post { $0.grantCredit(name) }
            }
            return item
        }
    }

    let handle: Handle

    /// The cursor of the last record or mark that was handed out. A program that stores it can
    /// go on right behind it later, with ``SubscriptionRequest/Start/after(_:)``. `nil` before
    /// the first one, and in a snapshot.
    public var cursor: String? { handle.feed.cursor }

    /// Everything that happens, marks and interruptions too. Use either this or the subscription
    /// itself, not both.
    public var items: Items { Items(handle: handle) }

    /// Ends the subscription; what was received already is still handed out.
    public func cancel() { handle.cancel() }

    /// Begins to hand out records.
    public func makeAsyncIterator() -> Iterator { Iterator(handle: handle) }

    /// Hands out the records.
    public struct Iterator: AsyncIteratorProtocol {
        let handle: Handle

        /// The next record; `nil` when the subscription or the task was cancelled.
        ///
        /// - Throws: ``ClientError/gap(_:)`` where records are missing, after which the next
        ///   call goes on; any other error is the end.
        public func next() async throws(ClientError) -> Record? {
            while let item = try await handle.next() {
                switch item {
                case .record(let record): return record
                case .mark(.gap(let gap)): throw .gap(gap)
                case .mark, .interrupted, .resumed: continue
                }
            }
            return nil
        }
    }

    /// All items of a subscription, in the order they happened.
    public struct Items: AsyncSequence, Sendable {
        let handle: Handle

        /// Begins to hand out items.
        public func makeAsyncIterator() -> Iterator { Iterator(handle: handle) }

        /// Hands out the items.
        public struct Iterator: AsyncIteratorProtocol {
            let handle: Handle

            /// The next item; `nil` when the subscription or the task was cancelled.
            ///
            /// - Throws: the ``ClientError`` that ended the subscription.
            public func next() async throws(ClientError) -> SubscriptionItem? {
                try await handle.next()
            }
        }
    }
}
