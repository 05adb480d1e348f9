public import GroveWire
import OrderedJSON

extension Client {
    /// The server's counters and gauges.
    public nonisolated func stats(timeout: Duration? = nil) async throws(ClientError) -> Reply {
        try await request(Request(.stats), timeout: timeout)
    }

    /// The server's numbers over time.
    public nonisolated func stats(
        series step: SeriesStep, timeout: Duration? = nil
    ) async throws(ClientError) -> NumberSeries {
        let request = Request(.stats).with("series", .string(step.rawValue))
        return try NumberSeries(try await self.request(request, timeout: timeout))
    }
}
