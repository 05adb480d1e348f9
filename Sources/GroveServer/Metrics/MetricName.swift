/// The name of a member of `stats`: a metric, and one of its numbers.
struct MetricName: Equatable {
    /// One number of a metric.
    enum Part: Equatable {
        /// The only one.
        case whole
        case sumOverLabels
        case label(String)
        /// The number of a histogram's values.
        case count
        /// The sum of a histogram's values.
        case sum
        /// The number of a histogram's values up to this bound.
        case bucket(Int64)
    }

    let metric: Metric
    let part: Part

    /// Reads a member's name; `nil` when this program knows no such metric.
    init?(_ text: some StringProtocol) {
        let dot = text.firstIndex(of: ".")
        guard let metric = Metric.named(String(text[..<(dot ?? text.endIndex)])) else { return nil }
        self.metric = metric
        guard let dot else {
            if metric.kind == .histogram { return nil }
            part = metric.label == nil ? .whole : .sumOverLabels
            return
        }
        let rest = String(text[text.index(after: dot)...])
        switch (metric.kind, rest) {
        case (.histogram, "count"): part = .count
        case (.histogram, "sum"): part = .sum
        case (.histogram, _):
            guard rest.hasPrefix("le_"), let bound = Int64(rest.dropFirst(3)) else { return nil }
            part = .bucket(bound)
        default:
            guard metric.label != nil else { return nil }
            part = .label(rest)
        }
    }
}
