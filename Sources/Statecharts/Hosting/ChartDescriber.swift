import OrderedJSON
import Transducers

/// Describes a chart to a server's clients.
struct ChartDescriber: MachineDescriber {
    let chart: Chart

    func describe() -> MachineDescription {
        MachineDescription(chart.diagram, events: chart.eventTypes)
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
