/// The bytes of records and of large replies that left a connection's buffer, both counted from the
/// connection's beginning.
public struct DeliveryReport: Sendable, Equatable {
    /// The weights of its records (`Publication.weight`).
    public var records: Int
    /// The weights of its replies (`Reply.weight`).
    public var replies: Int

    /// A report about so many bytes.
    public init(records: Int = 0, replies: Int = 0) {
        self.records = records
        self.replies = replies
    }
}

/// The bytes of records and of large replies that a connection was given, and how much of them the
/// engine knows to be accepted by the client.
struct DeliveryWindow: Sendable {
    struct Count: Sendable {
        var posted = 0
        var reported = 0
    }

    var records = Count()
    var replies = Count()
    /// Whether the next report is made even if there is little to report.
    var isDue = false

    var unreported: Int {
        records.posted - records.reported + replies.posted - replies.reported
    }

    mutating func report() -> DeliveryReport {
        records.reported = records.posted
        replies.reported = replies.posted
        return DeliveryReport(records: records.posted, replies: replies.posted)
    }
}
