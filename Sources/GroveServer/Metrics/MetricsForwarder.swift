import Metrics

/// Hands the server's numbers to the process's metrics library, once a second: what `stats` tells
/// and nothing else, so there is no second way to count. A histogram arrives as the counters that
/// its Prometheus text consists of, because only those can be handed over after the fact.
struct MetricsForwarder {
    /// Where one number goes.
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

    /// A forwarder to `factory`, or else to what the process has set up; `nil` where that is
    /// nothing.
    init?(_ factory: (any MetricsFactory)?) {
        let factory = factory ?? MetricsSystem.factory
        if factory is NOOPMetricsHandler { return nil }
        self.factory = factory
    }

    /// Hands over what has changed since the last call.
    mutating func forward(_ numbers: [(name: String, value: Int64)]) {
        for (name, value) in numbers {
            var entry: Series
            if let known = series[name] {
                entry = known
            } else {
                guard let made = make(name) else { continue }
                entry = made
            }
            hand(value, to: entry)
            entry.last = value
            series[name] = entry
        }
    }

    private func hand(_ value: Int64, to series: Series) {
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

    /// Lets go of everything in the library.
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
