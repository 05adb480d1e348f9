extension Code {
    /// Computes the value of the root.
    ///
    /// - Parameter steps: The steps that are left; afterwards those that are left then.
    /// - Throws: ``EvaluationFailure`` with the place of the node that failed.
    func evaluate(
        _ values: [CELValue], host: (any CELHost)?, limits: CELLimits, steps: inout Int
    ) throws(EvaluationFailure) -> CELValue {
        // The lists are borrowed once: nothing is retained and released at every access.
        try withUnsafePointer(to: self) { code throws(EvaluationFailure) in
            try nodes.withUnsafeBufferPointer { nodes throws(EvaluationFailure) in
                try constants.withUnsafeBufferPointer { constants throws(EvaluationFailure) in
                    try keys.withUnsafeBufferPointer { keys throws(EvaluationFailure) in
                        try values.withUnsafeBufferPointer { values throws(EvaluationFailure) in
                            var evaluator = Evaluator(
                                code: code, nodes: nodes, constants: constants, keys: keys,
                                values: values, host: host, limits: limits, steps: steps)
                            let granted = evaluator.budget.steps
                            defer { steps -= granted - max(0, evaluator.budget.steps) }
                            let result = try evaluator.value(root)
                            try evaluator.budget.check(result: result)
                            return result
                        }
                    }
                }
            }
        }
    }
}
