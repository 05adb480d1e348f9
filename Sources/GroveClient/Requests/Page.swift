import OrderedJSON

/// Some of many elements, and where to go on.
public struct Page<Item: PageItem, Position: Sendable>: Sendable {
    /// The elements, in order.
    public let items: [Item]
    /// What to pass as `after` for the elements behind these; `nil` when there are none.
    public let next: Position?
    /// Everything the server sent.
    public let reply: Reply

    init(_ reply: Reply, next: Position?) throws(ClientError) {
        items = try reply.require("items", try reply.items("items"))
        self.next = next
        self.reply = reply
    }
}

/// All elements of a list or a history, fetched page by page as they are asked for.
///
/// Each page shows the moment it was fetched; what is created or removed meanwhile may or may not
/// be seen.
public struct PagedSequence<Item: PageItem, Position: Sendable>: AsyncSequence, Sendable {
    typealias Fetch = @Sendable (Position?) async throws(ClientError) -> Page<Item, Position>

    let start: Position?
    let fetch: Fetch

    /// Begins at the start.
    public func makeAsyncIterator() -> Iterator { Iterator(position: start, fetch: fetch) }

    /// Hands out one element after the other.
    public struct Iterator: AsyncIteratorProtocol {
        private var position: Position?
        private let fetch: Fetch
        private var items: [Item] = []
        private var index = 0
        private var isLastPage = false

        init(position: Position?, fetch: @escaping Fetch) {
            self.position = position
            self.fetch = fetch
        }

        /// The next element; `nil` after the last.
        ///
        /// - Throws: ``ClientError``; the same element can be asked for again.
        public mutating func next() async throws(ClientError) -> Item? {
            while index == items.count {
                if isLastPage { return nil }
                let page = try await fetch(position)
                items = page.items
                index = 0
                position = page.next
                isLastPage = page.next == nil
            }
            defer { index += 1 }
            return items[index]
        }
    }
}
