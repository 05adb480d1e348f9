import Metrics

/// Forwards the server's numbers to the process's metrics library, once per second. They are those
/// of `stats`, so there is no second way to count. A histogram becomes the counters of its
/// Prometheus text, because a library's histogram can't receive counts afterwards.
struct MetricsForwarder {
    /// The library's object for one number.
    private enum Sink {
        case counter(Counter)
        case seconds(FloatingPointCounter)
        case meter(Meter)
    }

    private struct Series {
        let sink: Sink
        let unit: Metric.Unit
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
            var entry: Series
            if let known = series[name] {
                entry = known
            } else {
                guard let made = make(name) else { continue }
                entry = made
            }
            record(value, in: entry)
            entry.last = value
            series[name] = entry
        }
    }

    private func record(_ value: Int64, in series: Series) {
        let rise = max(0, value - series.last)
        switch series.sink {
        case .counter(let counter): if rise > 0 { counter.increment(by: rise) }
        case .seconds(let counter):
            if rise > 0 { counter.increment(by: seconds(rise, series.unit)) }
        case .meter(let meter): meter.set(seconds(value, series.unit))
        }
    }

    private func seconds(_ value: Int64, _ unit: Metric.Unit) -> Double {
        switch unit {
        case .things, .bytes: Double(value)
        case .milliseconds: Double(value) / 1e3
        case .microseconds: Double(value) / 1e6
        }
    }

    /// The series of one number; `nil` for sums that the library makes itself.
    private func make(_ name: String) -> Series? {
        guard let known = MetricName(name) else {
            let meter = Meter(label: "grove_" + name, factory: factory)
            return Series(sink: .meter(meter), unit: .things)
        }
        let metric = known.metric
        let label: String
        var dimensions: [(String, String)] = []
        switch known.part {
        case .sumOverLabels: return nil
        case .whole where metric.kind == .gauge:
            let meter = Meter(label: metric.series, factory: factory)
            return Series(sink: .meter(meter), unit: metric.unit)
        case .sum where metric.unit.decimals > 0:
            let sum = FloatingPointCounter(label: metric.series + "_sum", factory: factory)
            return Series(sink: .seconds(sum), unit: metric.unit)
        case .whole: label = metric.series
        case .label(let value):
            label = metric.series
            dimensions = [(metric.label?.name ?? "", value)]
        case .count: label = metric.series + "_count"
        case .sum: label = metric.series + "_sum"
        case .bucket(let bound):
            label = metric.series + "_bucket"
            dimensions = [("le", PrometheusText.decimal(bound, metric.unit))]
        }
        let counter = Counter(label: label, dimensions: dimensions, factory: factory)
        return Series(sink: .counter(counter), unit: .things)
    }

    /// Removes all series from the library.
    mutating func end() {
        for entry in series.values {
            switch entry.sink {
            case .counter(let counter): counter.destroy()
            case .seconds(let counter): counter.destroy()
            case .meter(let meter): meter.destroy()
            }
        }
        series = [:]
    }
}
