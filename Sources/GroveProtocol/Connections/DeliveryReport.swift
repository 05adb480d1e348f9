/// The bytes of records and of large replies that left a connection's buffer, both counted from the
/// connection's beginning.
package struct DeliveryReport: Sendable, Equatable {
    /// The weights of its records (`Publication.weight`).
    package var records: Int
    /// The weights of its replies (`Reply.weight`).
    package var replies: Int

    package init(records: Int = 0, replies: Int = 0) {
        self.records = records
        self.replies = replies
    }
}
