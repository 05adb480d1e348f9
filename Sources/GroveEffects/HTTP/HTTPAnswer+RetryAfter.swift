import GroveWire

extension HTTPAnswer {
    /// The pause that the server asks for (RFC 9110, section 10.2.3); `nil` for none.
    ///
    /// A date counts from the answer's `Date`, so that the two clocks need not agree; without one,
    /// from this host's time, in seconds since 1970.
    func retryAfter(now: Int64) -> Duration? {
        guard let text = header("retry-after") else { return nil }
        if !text.isEmpty, text.utf8.allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains) {
            return min(Self.retryAfterMax, .seconds(Int(text) ?? .max))
        }
        let answered = header("date").flatMap { HTTPDate.seconds($0, now: now) } ?? now
        guard let wanted = HTTPDate.seconds(text, now: now), wanted > answered else { return nil }
        return min(Self.retryAfterMax, .seconds(wanted - answered))
    }
}
