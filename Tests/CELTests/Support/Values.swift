import CEL

/// The value of an expression without variables.
func value(_ expression: String, limits: CELLimits = .standard) throws -> CELValue {
    try CELEnvironment().compile(expression).evaluate(limits: limits)
}

/// The value of an expression whose types aren't checked.
func uncheckedValue(_ expression: String) throws -> CELValue {
    try CELEnvironment().compile(expression, checksTypes: false).evaluate()
}

/// The message of the fault of an expression, when it is compiled or evaluated; nil if it has
/// none.
func fault(
    _ expression: String, _ environment: CELEnvironment = CELEnvironment(),
    values: [CELValue] = [], limits: CELLimits = .standard
) -> CELError? {
    do throws(CELErrors) {
        let program = try environment.compile(expression)
        do throws(CELError) {
            _ = try program.evaluate(values, limits: limits)
            return nil
        } catch {
            return error
        }
    } catch {
        return error.first
    }
}
