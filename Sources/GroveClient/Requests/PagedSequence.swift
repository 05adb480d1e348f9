/// All elements of a list or a history, fetched page by page while a loop asks for them.
///
/// Each page shows the moment of its request; an instance that is created or removed meanwhile may
/// be in it or not.
public struct PagedSequence<Item: PageItem, Position: Sendable>: AsyncSequence, Sendable {
    typealias Fetch = @Sendable (Position?) async throws(ClientError) -> Page<Item, Position>

    let start: Position?
    let fetch: Fetch

    /// Begins at the start.
    public func makeAsyncIterator() -> Iterator { Iterator(position: start, fetch: fetch) }

    /// Returns the elements in their order.
    public struct Iterator: AsyncIteratorProtocol {
        private var position: Position?
        private let fetch: Fetch
        private var items: ArraySlice<Item> = []
        private var isLastPage = false

        init(position: Position?, fetch: @escaping Fetch) {
            self.position = position
            self.fetch = fetch
        }

        /// The next element; `nil` after the last.
        ///
        /// - Throws: ``ClientError``; a second call asks for the same element again.
        public mutating func next() async throws(ClientError) -> Item? {
            while items.isEmpty {
                if isLastPage { return nil }
                let page = try await fetch(position)
                items = page.items[...]
                position = page.next
                isLastPage = page.next == nil
            }
            return items.removeFirst()
        }
    }
}
