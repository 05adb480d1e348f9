import CEL

/// The function `in` of expressions.
final class ActiveStates: CELHost {
    private let chart: Chart
    private let configuration: [Int32]

    init(_ chart: Chart, _ configuration: [Int32]) {
        self.chart = chart
        self.configuration = configuration
    }

    /// Whether the state with an id, or with a dotted path of names, is active (SCXML 5.9.1).
    func call(_ function: Int, _ arguments: [CELValue]) throws(CELCallError) -> CELValue {
        guard case .string(let name)? = arguments.first else {
            throw CELCallError("in('state') needs a text")
        }
        guard let state = chart.state(named: name) else { return .bool(false) }
        return .bool(configuration.hasSorted(state))
    }
}

extension Chart {
    /// The number of a state by its id, or by its dotted path of names.
    func state(named name: String) -> Int32? {
        if let number = identifiers[name] { return number }
        return name.unicodeScalars.contains(".") ? children.state(atPath: name, in: states) : nil
    }
}
