/// Computes the values of nodes, by recursion bounded by the levels of an expression.
struct Evaluator {
    /// Valid, as the lists are, only while the evaluation runs.
    let code: UnsafePointer<Code>
    let nodes: UnsafeBufferPointer<Node>
    let constants: UnsafeBufferPointer<CELValue>
    let keys: UnsafeBufferPointer<CELKey>
    let values: UnsafeBufferPointer<CELValue>
    let host: (any CELHost)?
    var budget: Budget
    /// The values of the macros' variables.
    var locals: [CELValue]

    init(
        code: UnsafePointer<Code>, nodes: UnsafeBufferPointer<Node>,
        constants: UnsafeBufferPointer<CELValue>, keys: UnsafeBufferPointer<CELKey>,
        values: UnsafeBufferPointer<CELValue>, host: (any CELHost)?, limits: CELLimits, steps: Int
    ) {
        self.code = code
        self.nodes = nodes
        self.constants = constants
        self.keys = keys
        self.values = values
        self.host = host
        budget = Budget(limits: limits, steps: steps)
        locals = code.pointee.locals == 0 ? [] : Array(repeating: .null, count: code.pointee.locals)
    }

    mutating func value(_ index: Int32) throws(EvaluationFailure) -> CELValue {
        let node = nodes[Int(index)]
        do throws(EvaluationFailure) {
            try budget.spend(steps: 1)
            return try apply(node)
        } catch {
            throw error.at(node.offset)
        }
    }

    private mutating func apply(_ node: Node) throws(EvaluationFailure) -> CELValue {
        switch node.opcode {
        case .constant: return constants[Int(node.a)]
        case .variable: return try variable(node.a)
        case .local: return locals[Int(node.a)]
        case .variableField: return try variableField(node)
        case .field: return try field(keys[Int(node.b)], of: value(node.a))
        case .optionalField: return try optionalField(keys[Int(node.b)], of: value(node.a))
        case .hasField: return .bool(try hasField(keys[Int(node.b)], of: value(node.a)))
        case .index, .optionalIndex: return try index(node)
        case .not: return .bool(!(try truth(of: value(node.a), "!")))
        case .negate: return try negated(value(node.a))
        case .add, .subtract, .multiply, .divide, .remainder:
            return try arithmetic(node)
        case .equal: return .bool(try areEqual(node))
        case .notEqual: return .bool(!(try areEqual(node)))
        case .less, .lessOrEqual, .greater, .greaterOrEqual: return try comparison(node)
        case .contained: return .bool(try contained(value(node.a), in: value(node.b)))
        case .and: return try logic(node, decisive: false)
        case .or: return try logic(node, decisive: true)
        case .conditional:
            return try value(truth(of: value(node.a), "?") ? node.b : node.c)
        case .list: return try list(node)
        case .map: return try map(node)
        case .call: return try call(node)
        case .host: return try hostCall(node)
        case .comprehension: return try comprehension(node)
        case .fault: throw fault(node)
        }
    }

    @inline(never)
    private func fault(_ node: Node) -> EvaluationFailure {
        guard case .string(let message) = constants[Int(node.a)] else {
            return EvaluationFailure("a fault without a message")
        }
        return EvaluationFailure(message)
    }

    private func variable(_ slot: Int32) throws(EvaluationFailure) -> CELValue {
        guard Int(slot) < values.count else { throw EvaluationFailure("a variable has no value") }
        return values[Int(slot)]
    }

    func truth(
        of value: CELValue, _ user: StaticString
    ) throws(EvaluationFailure) -> Bool {
        guard case .bool(let truth) = value else {
            throw EvaluationFailure("'\(user)' needs bool, and this is \(value.type.name)")
        }
        return truth
    }

    /// `&&` and `||`: an operand that decides makes up for others that fail, on either side.
    private mutating func logic(
        _ node: Node, decisive: Bool
    ) throws(EvaluationFailure) -> CELValue {
        var failure: EvaluationFailure?
        for position in node.a..<node.a + node.b {
            let operand = code.pointee.operands[Int(position)]
            do throws(EvaluationFailure) {
                let value = try value(operand)
                if case .bool(let truth) = value {
                    if truth == decisive { return .bool(decisive) }
                } else {
                    let place = nodes[Int(operand)].offset
                    throw EvaluationFailure(
                        "'\(decisive ? "||" : "&&")' needs bool, and this is \(value.type.name)"
                    ).at(place)
                }
            } catch {
                guard !error.isLimit else { throw error }
                failure = failure ?? error
            }
        }
        if let failure { throw failure }
        return .bool(!decisive)
    }

    private mutating func list(_ node: Node) throws(EvaluationFailure) -> CELValue {
        try budget.make(elements: Int(node.b))
        var elements: [CELValue] = []
        elements.reserveCapacity(Int(node.b))
        for element in 0..<Int(node.b) {
            let position = Int(node.a) + element * 2
            let found = try value(code.pointee.operands[position])
            if code.pointee.operands[position + 1] == 0 {
                elements.append(found)
            } else if let present = try optional(found) {
                elements.append(present)
            }
        }
        return .list(elements)
    }

    private mutating func map(_ node: Node) throws(EvaluationFailure) -> CELValue {
        try budget.make(entries: Int(node.b))
        var map = CELMap()
        for entry in 0..<Int(node.b) {
            let position = Int(node.a) + entry * 3
            let key = try mapKey(value(code.pointee.operands[position]))
            let found = try value(code.pointee.operands[position + 1])
            let present = code.pointee.operands[position + 2] == 0 ? found : try optional(found)
            guard let present else { continue }
            guard map.insert(key, present) else {
                throw EvaluationFailure("the key \(key.shown) is there twice")
            }
        }
        return .map(map)
    }

    /// The key of a new entry: unlike the key of a look-up, no double.
    mutating func mapKey(_ value: CELValue) throws(EvaluationFailure) -> CELKey {
        if case .double = value { throw EvaluationFailure("double can't be a key") }
        guard let key = try key(value) else {
            throw EvaluationFailure("\(value.type.name) can't be a key")
        }
        return key
    }

    /// The value of an optional; nil if it has none.
    func optional(_ value: CELValue) throws(EvaluationFailure) -> CELValue? {
        guard case .optional(let wrapped) = value else {
            throw EvaluationFailure("'?' needs an optional value, and this is \(value.type.name)")
        }
        return wrapped
    }
}
