extension Evaluator {
    mutating func call(_ node: Node) throws(EvaluationFailure) -> CELValue {
        guard let function = BuiltIn(rawValue: node.c) else {
            throw EvaluationFailure("there is no such function")
        }
        switch function {
        case .or, .orValue: return try alternative(node, function)
        case .greatest, .least: return try extremum(node, function)
        default: break
        }
        var arguments = Arguments()
        for position in node.a..<node.a + node.b {
            arguments.append(try value(code.pointee.operands[Int(position)]))
        }
        if function == .matches { return .bool(try matches(node, arguments)) }
        return try Functions.call(function, arguments, &budget)
    }

    /// `or` and `orValue`, whose argument is evaluated only if it is needed.
    private mutating func alternative(
        _ node: Node, _ function: BuiltIn
    ) throws(EvaluationFailure) -> CELValue {
        let target = try value(code.pointee.operands[Int(node.a)])
        guard case .optional(let wrapped) = target else {
            throw EvaluationFailure(
                "'\(function)' needs an optional value, and this is \(target.type.name)")
        }
        if let wrapped { return function == .or ? target : wrapped }
        let other = try value(code.pointee.operands[Int(node.a) + 1])
        if function == .or { _ = try optional(other) }
        return other
    }

    /// The greatest or least of the arguments, or of the elements of a single list.
    private mutating func extremum(
        _ node: Node, _ function: BuiltIn
    ) throws(EvaluationFailure) -> CELValue {
        let first = try value(code.pointee.operands[Int(node.a)])
        if node.b == 1, case .list(let elements) = first {
            guard let start = elements.first else {
                throw EvaluationFailure("'\(function)' needs at least one number")
            }
            var best = try NumberFunctions.number(start, function)
            for element in elements.dropFirst() {
                try budget.spend(steps: 1)
                best = try NumberFunctions.better(best, element, function)
            }
            return best
        }
        var best = try NumberFunctions.number(first, function)
        for position in node.a + 1..<node.a + node.b {
            let other = try value(code.pointee.operands[Int(position)])
            best = try NumberFunctions.better(best, other, function)
        }
        return best
    }

    /// A regular expression that is a constant was compiled before.
    private mutating func matches(
        _ node: Node, _ arguments: Arguments
    ) throws(EvaluationFailure) -> Bool {
        guard case .string(let text) = arguments.first,
            case .string(let pattern) = arguments.second
        else { throw arguments.mismatch("matches") }
        let operand = nodes[Int(code.pointee.operands[Int(node.a) + 1])]
        if operand.opcode == .constant, let program = code.pointee.patterns[Int(operand.a)] {
            return try program.matches(text, &budget)
        }
        try budget.spend(steps: pattern.utf8.count)
        let program: RegexProgram
        do throws(RegexFault) {
            program = try RegexProgram(pattern)
        } catch {
            try budget.spend(steps: error.visits / CELLimits.regexPartsPerStep)
            throw EvaluationFailure("the regular expression is wrong: \(error.message)")
        }
        try budget.spend(steps: program.visits / CELLimits.regexPartsPerStep)
        return try program.matches(text, &budget)
    }

    mutating func hostCall(_ node: Node) throws(EvaluationFailure) -> CELValue {
        var arguments: [CELValue] = []
        arguments.reserveCapacity(Int(node.b))
        for position in node.a..<node.a + node.b {
            arguments.append(try value(code.pointee.operands[Int(position)]))
        }
        guard let host else { throw EvaluationFailure("the host gave no functions") }
        do throws(CELCallError) {
            return try host.call(Int(node.c), arguments)
        } catch {
            throw EvaluationFailure(error.message)
        }
    }
}
