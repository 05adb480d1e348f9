import GroveNetwork

/// The records of a server's instances, one by one.
///
/// When the connection breaks, the client reconnects by itself (``ReconnectPolicy``) and continues
/// after the last record: none is missed, none is repeated. Only a snapshot that was interrupted
/// is sent again. The sequence ends when the subscription or its task is cancelled. It throws when
/// the server refuses to continue, for example with `CURSOR_TOO_OLD`, or when the policy ends the
/// attempts.
///
/// A subscription is meant for one consumer; if several tasks ask for its records, each record
/// goes to one of them. The server sends at most ``ClientOptions/credit`` records ahead, so a slow
/// consumer costs no memory.
///
/// ```swift
/// for try await record in try await client.subscribe(.init(machine: "order")) {
///     print(record.name, record.data ?? .null)
/// }
/// ```
public struct Subscription: AsyncSequence, Sendable {
    /// Ends the subscription when the last reference to it is gone.
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

    /// The cursor of the last record or mark that was returned. A program that stores it can
    /// continue after it later, with ``SubscriptionRequest/Start/after(_:)``. `nil` before the
    /// first one, and in a snapshot.
    public var cursor: String? { handle.feed.cursor }

    /// All items, with marks and interruptions. Use either this or the subscription itself, not
    /// both.
    public var items: Items { Items(handle: handle) }

    /// Ends the subscription; items that were received already are still returned.
    public func cancel() { handle.cancel() }

    /// Begins with the oldest record that wasn't returned yet.
    public func makeAsyncIterator() -> Iterator { Iterator(handle: handle) }

    /// Returns the records.
    public struct Iterator: AsyncIteratorProtocol {
        let handle: Handle

        /// The next record; `nil` when the subscription or the task was cancelled.
        ///
        /// - Throws: ``ClientError/gap(_:)`` where records are missing, after which the next
        ///   call continues; any other error is the end.
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

        /// Begins with the oldest item that wasn't returned yet.
        public func makeAsyncIterator() -> Iterator { Iterator(handle: handle) }

        /// Returns the items.
        public struct Iterator: AsyncIteratorProtocol {
            let handle: Handle

            /// The next item; `nil` when the subscription or the task was cancelled.
            ///
            /// - Throws: The ``ClientError`` that ended the subscription.
            public func next() async throws(ClientError) -> SubscriptionItem? {
                try await handle.next()
            }
        }
    }
}
