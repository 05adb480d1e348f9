public import CEL

/// A condition on the states of a chart, such as an invariant: an expression with the variables of
/// guards, where `event` and `meta` are null.
public struct ChartCondition: Sendable {
    /// The expression.
    public let text: String
    private let expression: ChartExpression
    private let chart: Chart

    /// A condition.
    ///
    /// - Throws: ``CELErrors`` for what isn't an expression of type `bool`.
    public init(_ text: String, on chart: Chart) throws(CELErrors) {
        let environment = CELEnvironment(
            context: CELEnvironment.contextType(chart.contextNames), event: .dyn)
        let program = try environment.compile(text, expecting: .bool)
        self.text = text
        self.chart = chart
        expression = ChartExpression(
            text, program, path: "", callsIn: InCall.names(in: text).isCalled)
    }

    /// The constant names in calls of `in` that no state of the chart has.
    public var unknownStates: [String] {
        InCall.names(in: text).constants.filter { chart.state(named: $0) == nil }
    }

    /// Whether the condition is true in a state.
    ///
    /// - Throws: ``ChartFailure`` if it has no truth value.
    public func holds(
        in state: ChartState, _ environment: ChartEnvironment
    ) throws(ChartFailure) -> Bool {
        var interpreter = Interpreter(chart, state, environment)
        interpreter.variables[2] = environment.selfValue
        let value = try interpreter.evaluate(expression)
        guard case .bool(let isTrue) = value else {
            throw ChartFailure(
                .evalError, "a condition must be bool, and is \(value.type.name)")
        }
        return isTrue
    }
}
