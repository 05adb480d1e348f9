import CEL
import OrderedJSON
import Testing

@testable import Statecharts

/// A chart that runs in virtual time, and short ways to ask for what it did.
struct Trial {
    var run: ChartRun

    /// Starts a chart that is written as JSON.
    init(_ machine: String, machines: [String: String] = [:]) throws {
        let chart = try Chart(parsing: Array(machine.utf8))
        let others = try machines.mapValues { try Chart(parsing: Array($0.utf8)) }
        let start = try #require(CELTimestamp(seconds: 1_700_000_000))
        run = ChartRun(chart, machines: others, start: start)
        try run.start()
    }

    /// Sends an event with its members as JSON.
    mutating func send(_ type: String, _ members: String = "{}") throws {
        try run.send(ChartEvent(type, try Self.map(members)))
    }

    static func map(_ json: String) throws -> CELMap {
        guard case .map(let map) = CELValue(try JSONValue(parsing: Array(json.utf8))) else {
            throw ChartRunError.endless
        }
        return map
    }

    /// The active states without children, joined by blanks.
    var active: String { run.activeStates.joined(separator: " ") }

    /// The context as JSON.
    var context: String {
        run.state.map { state in CELValue.map(state.context).json?.description ?? "?" } ?? "none"
    }

    /// The stored state as JSON.
    var stored: String {
        guard let chart = run.chart, let state = run.state else { return "none" }
        return String(decoding: chart.json(of: state), as: UTF8.self)
    }

    /// The log in order: `label=value`, or the value alone.
    var log: [String] {
        run.records.compactMap { record in
            guard case .log(let label, let value) = record.entry else { return nil }
            let text = value.json?.description ?? "?"
            return label.map { "\($0)=\(text)" } ?? text
        }
    }

    /// The outputs as JSON.
    var outputs: [String] {
        run.records.compactMap { record in
            guard case .output(_, let members) = record.entry else { return nil }
            return CELValue.map(members).json?.description
        }
    }

    /// The failures in order.
    var failures: [ChartFailure] {
        run.records.compactMap { record in
            guard case .failure(let failure) = record.entry else { return nil }
            return failure
        }
    }

    /// The types of the events that the machine itself has taken from outside; `after` for a timer.
    var taken: [String] {
        run.records.compactMap { record in
            guard record.address == run.address else { return nil }
            switch record.entry {
            case .event(let event): return event.type
            case .timer: return "after"
            default: return nil
            }
        }
    }
}

/// The problems of a definition; none if it is accepted without warnings.
func problems(_ definition: String) -> [ChartProblem] {
    do {
        return try Chart(parsing: Array(definition.utf8)).warnings
    } catch {
        return error.all
    }
}
