import OrderedJSON
import Transducers

/// Describes a chart to a server's clients.
struct ChartDescriber: MachineDescriber {
    let chart: Chart

    /// Some tens of milliseconds for 10,000 states.
    var readsDataOnly: Bool { true }

    func describe(in state: [UInt8]?) -> MachineDescription {
        var drawing = ChartDrawing(chart, .bounded)
        drawing.activate(state.map(chart.activeNames) ?? [])
        let diagram = drawing.draw()
        let events = chart.eventTypes
        var description = MachineDescription(
            diagram, events: events, isPartial: drawing.isPartial)
        for event in events {
            for sample in chart.samples(ofEvent: event) {
                let hasRoom = description.add(example: sample.serialized(), ofEvent: event)
                guard hasRoom else { return description }
            }
        }
        return description
    }

    func stateName(_ json: [UInt8]) -> String? { chart.activeNames(ofState: json).first }
}

extension Chart {
    /// The names of the active states in a stored state as text; empty for what is no state.
    func activeNames(ofState text: [UInt8]) -> [String] {
        // A text that isn't JSON has no names.
        guard let json = try? JSONValue(parsing: text, limits: .stored) else { return [] }
        return activeNames(in: json)
    }
}
