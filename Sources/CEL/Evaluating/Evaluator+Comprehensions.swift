extension Evaluator {
    mutating func comprehension(_ node: Node) throws(EvaluationFailure) -> CELValue {
        let plan = code.pointee.comprehensions[Int(node.a)]
        let range = try value(plan.range)
        switch plan.macro {
        case .optMap, .optFlatMap: return try optionalMap(plan, range)
        case .all: return try quantifier(plan, range, decisive: false)
        case .exists: return try quantifier(plan, range, decisive: true)
        case .existsOne: return try existsOne(plan, range)
        case .map, .transformList, .filter: return try listOf(plan, range)
        case .transformMap, .transformMapEntry: return try mapOf(plan, range)
        }
    }

    /// The number of elements of a list or map.
    private func count(
        _ range: CELValue, _ plan: ComprehensionPlan
    ) throws(EvaluationFailure) -> Int {
        switch range {
        case .list(let elements): return elements.count
        case .map(let map): return map.count
        default:
            throw EvaluationFailure(
                "'\(plan.macro)' needs a list or map, and this is \(range.type.name)")
        }
    }

    /// Sets the macro's variables to those of an element.
    private mutating func bind(_ plan: ComprehensionPlan, _ range: CELValue, _ index: Int) {
        switch range {
        case .list(let elements):
            if plan.hasTwo {
                locals[plan.local] = .int(Int64(index))
                locals[plan.local + 1] = elements[index]
            } else {
                locals[plan.local] = elements[index]
            }
        case .map(let map):
            locals[plan.local] = map.entries[index].key.value
            if plan.hasTwo { locals[plan.local + 1] = map.entries[index].value }
        default: break
        }
    }

    /// Whether the condition holds for the element that is bound; true without one.
    private mutating func holds(_ plan: ComprehensionPlan) throws(EvaluationFailure) -> Bool {
        guard let condition = plan.condition else { return true }
        let found = try value(condition)
        guard case .bool(let truth) = found else {
            throw EvaluationFailure(
                "'\(plan.macro)' needs bool, and this is \(found.type.name)"
            ).at(nodes[Int(condition)].offset)
        }
        return truth
    }

    /// `all` and `exists`: an element that decides makes up for others that fail.
    private mutating func quantifier(
        _ plan: ComprehensionPlan, _ range: CELValue, decisive: Bool
    ) throws(EvaluationFailure) -> CELValue {
        var failure: EvaluationFailure?
        for index in 0..<(try count(range, plan)) {
            bind(plan, range, index)
            do throws(EvaluationFailure) {
                if try holds(plan) == decisive { return .bool(decisive) }
            } catch {
                guard !error.isLimit else { throw error }
                failure = failure ?? error
            }
        }
        if let failure { throw failure }
        return .bool(!decisive)
    }

    private mutating func existsOne(
        _ plan: ComprehensionPlan, _ range: CELValue
    ) throws(EvaluationFailure) -> CELValue {
        var found = 0
        for index in 0..<(try count(range, plan)) {
            bind(plan, range, index)
            if try holds(plan) { found += 1 }
        }
        return .bool(found == 1)
    }

    private mutating func listOf(
        _ plan: ComprehensionPlan, _ range: CELValue
    ) throws(EvaluationFailure) -> CELValue {
        let count = try count(range, plan)
        try budget.make(elements: count)
        var elements: [CELValue] = []
        for index in 0..<count {
            bind(plan, range, index)
            guard try holds(plan) else { continue }
            if let result = plan.result {
                elements.append(try value(result))
            } else {
                // Nested macros have their own variables, so this one is unchanged.
                elements.append(locals[plan.local])
            }
        }
        return .list(elements)
    }

    private mutating func mapOf(
        _ plan: ComprehensionPlan, _ range: CELValue
    ) throws(EvaluationFailure) -> CELValue {
        let count = try count(range, plan)
        guard let result = plan.result else {
            throw EvaluationFailure("'\(plan.macro)' has no result")
        }
        var map = CELMap()
        for index in 0..<count {
            bind(plan, range, index)
            guard try holds(plan) else { continue }
            // A new map's keys: those of the range, or a list's indexes.
            let key = try mapKey(locals[plan.local])
            let made = try value(result)
            if plan.macro == .transformMap {
                try budget.make(entries: 1)
                _ = map.insert(key, made)
            } else {
                try add(made, to: &map)
            }
        }
        guard map.count <= budget.limits.elements else {
            throw .limit("a map has more than \(budget.limits.elements) entries")
        }
        return .map(map)
    }

    /// Adds the entries of a map that `transformMapEntry` made.
    private mutating func add(
        _ made: CELValue, to map: inout CELMap
    ) throws(EvaluationFailure) {
        guard case .map(let entries) = made else {
            throw EvaluationFailure(
                "'transformMapEntry' needs a map, and this is \(made.type.name)")
        }
        try budget.make(entries: entries.count)
        for entry in entries.entries {
            guard map.insert(entry.key, entry.value) else {
                throw EvaluationFailure("the key \(entry.key.shown) is there twice")
            }
        }
    }

    private mutating func optionalMap(
        _ plan: ComprehensionPlan, _ range: CELValue
    ) throws(EvaluationFailure) -> CELValue {
        guard case .optional(let wrapped) = range, let result = plan.result else {
            throw EvaluationFailure(
                "'\(plan.macro)' needs an optional value, and this is \(range.type.name)")
        }
        guard let wrapped else { return range }
        locals[plan.local] = wrapped
        let made = try value(result)
        if plan.macro == .optMap { return .optional(made) }
        guard case .optional = made else {
            throw EvaluationFailure(
                "'optFlatMap' needs an optional value, and this is \(made.type.name)"
            ).at(nodes[Int(result)].offset)
        }
        return made
    }
}
