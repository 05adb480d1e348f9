import OrderedJSON
import Transducers

/// An event of a chart on a server.
final class HostedChartEvent: HostedEvent {
    let event: ChartEvent
    /// The chart that writes it.
    private let chart: Chart

    init(_ event: ChartEvent, of chart: Chart) {
        self.event = event
        self.chart = chart
    }

    /// The event of a step.
    static func read(_ event: any HostedEvent) -> ChartEvent {
        guard let event = event as? HostedChartEvent else {
            preconditionFailure("an event is applied only to the machine that decoded it")
        }
        return event.event
    }

    func canonicalText() -> [UInt8] {
        var writer = JSONWriter()
        chart.write(event, to: &writer)
        return writer.bytes
    }

    var journalText: [UInt8]? { event.isOfClient ? nil : canonicalText() }
}
