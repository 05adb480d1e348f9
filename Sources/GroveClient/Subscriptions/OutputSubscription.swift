/// Outputs as values of a Swift type, for as long as anyone asks; a ``Subscription`` that decodes.
///
/// ```swift
/// let payments = try await client.outputs(as: Order.Output.self, of: .init(machine: "order"))
/// for try await payment in payments {
///     print(payment.record.name, payment.output)
/// }
/// ```
public struct OutputSubscription<Output: Decodable & Sendable>: AsyncSequence, Sendable {
    /// An output, and the record that told it.
    public struct Element: Sendable {
        /// The output.
        public let output: Output
        /// Where it comes from, at which version, and the cursor behind it.
        public let record: Record
    }

    let subscription: Subscription

    /// The cursor of the last output that was handed out, see ``Subscription/cursor``.
    public var cursor: String? { subscription.cursor }

    /// Ends the subscription; what was received already is still handed out.
    public func cancel() { subscription.cancel() }

    /// Begins to hand out outputs.
    public func makeAsyncIterator() -> Iterator {
        Iterator(records: subscription.makeAsyncIterator())
    }

    /// Hands out the outputs.
    public struct Iterator: AsyncIteratorProtocol {
        let records: Subscription.Iterator

        /// The next output; `nil` when the subscription or the task was cancelled.
        ///
        /// - Throws: ``ClientError/undecodable(_:)`` for an output of another type, and
        ///   ``ClientError/gap(_:)`` where records are missing; the next call goes on behind
        ///   either. Any other error is the end.
        public func next() async throws(ClientError) -> Element? {
            guard let record = try await records.next() else { return nil }
            return Element(output: try record.output(), record: record)
        }
    }
}
