import OrderedJSON
import Transducers

/// Compiled definitions that charts have computed: those of the last ones that were needed, so that
/// siblings and restored instances don't read the same text again.
final class ComputedCharts: Sendable {
    private struct Kept {
        var charts: [[UInt8]: Chart] = [:]
        /// The texts in the order in which they came.
        var texts: [[UInt8]] = []
    }

    /// One for all machines of the process, so that all together have the bound.
    static let shared = ComputedCharts()

    private let kept = Locked(Kept())

    /// The number of charts that are kept.
    var count: Int { kept.withLock { $0.charts.count } }

    /// The chart of a definition.
    ///
    /// - Parameter text: The definition as it is serialized.
    /// - Throws: ``ChartProblems``.
    func chart(_ definition: JSONValue, text: [UInt8]) throws(ChartProblems) -> Chart {
        if let chart = kept.withLock({ $0.charts[text] }) { return chart }
        let chart = try Chart(definition)
        guard text.count <= ChartLimits.computedBytesMax else { return chart }
        return kept.withLock { kept in
            if let other = kept.charts[text] { return other }
            if kept.texts.count == ChartLimits.computedKeptMax {
                kept.charts[kept.texts.removeFirst()] = nil
            }
            kept.texts.append(text)
            kept.charts[text] = chart
            return chart
        }
    }
}

extension Chart {
    /// Reads a new definition that a chart has computed, which has smaller bounds than one of a
    /// file.
    ///
    /// - Throws: ``ChartProblems``.
    static func computed(_ definition: JSONValue) throws(ChartProblems) -> Chart {
        func refusal(_ message: String) -> ChartProblems {
            ChartProblems([ChartProblem(.error, "$", message)])
        }
        let text = definition.serialized()
        guard text.count <= ChartLimits.computedBytesMax else {
            throw refusal(
                "a computed definition may have \(ChartLimits.computedBytesMax) bytes, not "
                    + "\(text.count)")
        }
        let chart = try ComputedCharts.shared.chart(definition, text: text)
        let count = chart.states.count - 1
        guard count <= ChartLimits.computedStatesMax else {
            throw refusal(
                "a computed definition may have \(ChartLimits.computedStatesMax) states, not "
                    + "\(count)")
        }
        return chart
    }
}
