/// The weights of records and large replies that were written for a connection, and those that the
/// engine knows to be accepted by the client.
struct DeliveryWindow: Sendable {
    /// The weights written.
    var posted = DeliveryReport()
    private var reported = DeliveryReport()
    /// Whether the next report is due however little it has.
    var isDue = false

    /// The weight that isn't reported yet.
    var unreported: Int {
        posted.records - reported.records + posted.replies - reported.replies
    }

    mutating func report() -> DeliveryReport {
        reported = posted
        return posted
    }
}
