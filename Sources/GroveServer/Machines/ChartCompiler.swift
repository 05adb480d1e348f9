import Dispatch
public import GroveEngine
import OrderedJSON
import Statecharts
import Transducers

/// Reads statecharts for the engine.
public enum ChartCompiler {
    /// The definitions of a chart, or its problems.
    ///
    /// - Parameter text: JSON, at most ``ChartLimits/definitionBytesMax`` bytes.
    @Sendable public static func compile(_ text: [UInt8]) -> CompiledDefinition {
        compile(text, wasAccepted: false)
    }

    /// The definitions of charts that were accepted before, in their order, without warnings. All
    /// processors read them: a start waits for it. Most expressions are compiled when they are
    /// first evaluated.
    static func compile(stored: [StoredDefinition]) -> [CompiledDefinition] {
        let compiled = Locked([CompiledDefinition?](repeating: nil, count: stored.count))
        DispatchQueue.concurrentPerform(iterations: stored.count) { index in
            let found = compile(stored[index].text, wasAccepted: true)
            compiled.withLock { $0[index] = found }
        }
        return compiled.withLock { $0.compactMap(\.self) }
    }

    private static func compile(_ text: [UInt8], wasAccepted: Bool) -> CompiledDefinition {
        do throws(ChartProblems) {
            let json = try Chart.json(parsing: text)
            let chart = try Chart(json, wasAccepted: wasAccepted)
            let family = try ChartDefinitions(chart, json: json)
            return .definitions(
                family.all, warnings: chart.warnings.map { DefinitionProblem($0) })
        } catch {
            return .refused(error.all.map { DefinitionProblem($0) })
        }
    }
}

extension DefinitionProblem {
    init(_ problem: ChartProblem) {
        // Only a text that is no JSON has a place; in others the path says where.
        let place = problem.line.map { ", line \($0), column \(problem.column ?? 1)" } ?? ""
        self.init(
            isError: problem.severity == .error, path: problem.path,
            message: problem.message + place)
    }
}
