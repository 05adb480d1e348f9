/// A ``Subscription`` that decodes outputs as values of a Swift type.
///
/// ```swift
/// let payments = try await client.outputs(as: Order.Output.self, of: .init(machine: "order"))
/// for try await payment in payments {
///     print(payment.record.name, payment.output)
/// }
/// ```
public struct OutputSubscription<Output: Decodable & Sendable>: AsyncSequence, Sendable {
    /// An output, and its record.
    public struct Element: Sendable {
        /// The output.
        public let output: Output
        /// The record with its instance, version and cursor.
        public let record: Record
    }

    let subscription: Subscription

    /// The cursor of the last output that was returned, see ``Subscription/cursor``.
    public var cursor: String? { subscription.cursor }

    /// Ends the subscription; outputs that were received already are still returned.
    public func cancel() { subscription.cancel() }

    /// Begins with the oldest output that wasn't returned yet.
    public func makeAsyncIterator() -> Iterator {
        Iterator(records: subscription.makeAsyncIterator())
    }

    /// Returns the outputs.
    public struct Iterator: AsyncIteratorProtocol {
        let records: Subscription.Iterator

        /// The next output; `nil` when the subscription or the task was cancelled.
        ///
        /// - Throws: ``ClientError/undecodable(_:)`` for an output of another type, and
        ///   ``ClientError/gap(_:)`` where records are missing; the next call continues after
        ///   either. Any other error is the end.
        public func next() async throws(ClientError) -> Element? {
            guard let record = try await records.next() else { return nil }
            return Element(output: try record.output(), record: record)
        }
    }
}

extension Client {
    /// Follows outputs as values of a Swift type. Other kinds of records are left out.
    ///
    /// - Throws: As ``subscribe(_:)``.
    public nonisolated func outputs<Output: Decodable & Sendable>(
        as type: Output.Type = Output.self, of request: SubscriptionRequest
    ) async throws(ClientError) -> OutputSubscription<Output> {
        var request = request
        request.kinds = [.output]
        return OutputSubscription(subscription: try await subscribe(request))
    }
}
