import OrderedJSON

/// A server's numbers over time, by the names that they have in `stats`.
public struct NumberSeries: Sendable {
    /// The time between two points in milliseconds.
    public let everyMilliseconds: Int64
    /// The time of the newest point, `2026-11-21T00:00:00.000Z`.
    public let until: String
    /// The points of each number, the oldest first: what a counter counted in that time, what a
    /// gauge was at its end, and of `ack_us.p99` and `commit_us.p99` a bound in microseconds.
    /// `nil` where the server doesn't know.
    public let numbers: [String: [Int64?]]
    /// The reply as the server wrote it, without `id` and `ok`.
    public let text: [UInt8]

    init(_ reply: Reply) throws(ClientError) {
        everyMilliseconds = try reply.fields.required("every_ms", Fields.integer)
        until = try reply.fields.required("until", Fields.string)
        let series = try reply.fields.required("series", Fields.value).object ?? JSONObject()
        var numbers: [String: [Int64?]] = [:]
        for member in series { numbers[member.name] = member.value.array?.map(\.integer) ?? [] }
        self.numbers = numbers
        text = reply.text
    }
}
