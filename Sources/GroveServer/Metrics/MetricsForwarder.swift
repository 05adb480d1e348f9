import Metrics

/// Forwards the server's numbers to the process's metrics library, once per second. They are those
/// of `stats`, so there is no second way to count. A histogram becomes the counters of its
/// Prometheus text, because a library's histogram can't receive counts afterwards.
struct MetricsForwarder {
    /// One number as a series of the library.
    private struct Series {
        /// Forwards the number and its rise since the last call.
        let record: @Sendable (_ value: Int64, _ rise: Int64) -> Void
        /// Removes the series from the library.
        let destroy: @Sendable () -> Void
        var last: Int64 = 0
    }

    private let factory: any MetricsFactory
    private var series: [String: Series] = [:]

    /// A forwarder to `factory`, or else to the process's library; `nil` without one.
    init?(_ factory: (any MetricsFactory)?) {
        let factory = factory ?? MetricsSystem.factory
        if factory is NOOPMetricsHandler { return nil }
        self.factory = factory
    }

    /// Forwards the numbers that have changed since the last call.
    mutating func forward(_ numbers: [(name: String, value: Int64)]) {
        for (name, value) in numbers {
            guard var entry = series[name] ?? make(name) else { continue }
            entry.record(value, max(0, value - entry.last))
            entry.last = value
            series[name] = entry
        }
    }

    /// The series of one number; `nil` for sums that the library makes itself.
    private func make(_ name: String) -> Series? {
        guard let known = MetricName(name) else { return meter("grove_" + name, .things) }
        let (metric, series) = (known.metric, known.metric.series)
        switch known.part {
        case .sumOverLabels: return nil
        case .whole where metric.kind == .gauge: return meter(series, metric.unit)
        case .sum where metric.unit.decimals > 0:
            let unit = metric.unit
            let sum = FloatingPointCounter(label: series + "_sum", factory: factory)
            return Series {
                if $1 > 0 { sum.increment(by: unit.inSeries($1)) }
            } destroy: {
                sum.destroy()
            }
        case .whole: return counter(series)
        case .label(let value): return counter(series, [(metric.label ?? "", value)])
        case .count: return counter(series + "_count")
        case .sum: return counter(series + "_sum")
        case .bucket(let bound):
            let text = PrometheusText.decimal(bound, metric.unit)
            return counter(series + "_bucket", [("le", text)])
        }
    }

    private func meter(_ label: String, _ unit: Metric.Unit) -> Series {
        let meter = Meter(label: label, factory: factory)
        return Series {
            value, _ in
            meter.set(unit.inSeries(value))
        } destroy: {
            meter.destroy()
        }
    }

    private func counter(_ label: String, _ dimensions: [(String, String)] = []) -> Series {
        let counter = Counter(label: label, dimensions: dimensions, factory: factory)
        return Series {
            if $1 > 0 { counter.increment(by: $1) }
        } destroy: {
            counter.destroy()
        }
    }

    /// Removes all series from the library.
    mutating func end() {
        for entry in series.values { entry.destroy() }
        series = [:]
    }
}
