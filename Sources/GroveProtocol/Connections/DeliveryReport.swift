/// The bytes of records and of large replies that left a connection's buffer, both counted from the
/// connection's beginning.
package struct DeliveryReport: Sendable, Equatable {
    package var records: Int
    package var replies: Int

    package init(records: Int = 0, replies: Int = 0) {
        self.records = records
        self.replies = replies
    }
}
