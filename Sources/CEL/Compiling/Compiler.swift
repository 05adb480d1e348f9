/// Turns an expression into nodes: names become slots, constant parts their values.
struct Compiler {
    private var code = Code()
    private var scope: NameScope
    /// The bounds of the evaluation of one constant part.
    private static let foldLimits = CELLimits(
        steps: CELLimits.constantStepsEach, totalBytes: CELLimits.constantBytesEach)

    static func compile(_ root: Expression, _ environment: CELEnvironment) -> Code {
        var compiler = Compiler(scope: NameScope(environment))
        compiler.code.isMixed = environment.allowsMixedArithmetic
        compiler.code.root = compiler.node(root)
        return compiler.code
    }

    /// Code that fails with the fault of an expression.
    static func failing(_ error: CELError, _ environment: CELEnvironment) -> Code {
        var compiler = Compiler(scope: NameScope(environment))
        compiler.code.root = compiler.fault(error.message, error.offset)
        return compiler.code
    }

    private init(scope: NameScope) { self.scope = scope }

    // MARK: Nodes

    private mutating func add(
        _ opcode: Node.Opcode, _ offset: Int, _ a: Int32 = 0, _ b: Int32 = 0, _ c: Int32 = 0
    ) -> Int32 {
        code.nodes.append(Node(opcode: opcode, a: a, b: b, c: c, offset: Int32(offset)))
        return Int32(code.nodes.count - 1)
    }

    private mutating func constant(_ value: CELValue, _ offset: Int) -> Int32 {
        code.constants.append(value)
        code.patterns.append(nil)
        return add(.constant, offset, Int32(code.constants.count - 1))
    }

    private mutating func fault(_ message: String, _ offset: Int) -> Int32 {
        let node = constant(.string(message), offset)
        return add(.fault, offset, code.nodes[Int(node)].a)
    }

    private mutating func key(_ name: String) -> Int32 {
        code.keys.append(CELKey(name))
        return Int32(code.keys.count - 1)
    }

    private mutating func operands(_ nodes: [Int32]) -> Int32 {
        code.operands += nodes
        return Int32(code.operands.count - nodes.count)
    }

    /// Replaces an operation on constants by its value. One that fails stays, to fail when it is
    /// reached.
    private mutating func folded(_ node: Int32, _ operands: [Int32]) -> Int32 {
        guard operands.allSatisfy({ code.nodes[Int($0)].opcode == .constant }) else { return node }
        let left = scope.environment.constantStepsMax - code.constantSteps
        guard left > 0 else { return node }
        code.root = node
        let granted = min(left, Self.foldLimits.steps)
        var steps = granted
        // Each costs at least one: it takes an evaluator of its own.
        defer { code.constantSteps += max(1, granted - steps) }
        guard
            let value = try? code.evaluate(
                [], host: nil, limits: Self.foldLimits, steps: &steps)
        else { return node }
        return constant(value, Int(code.nodes[Int(node)].offset))
    }

    // MARK: Expressions

    private mutating func node(_ expression: Expression) -> Int32 {
        let offset = expression.offset
        switch expression.kind {
        case .literal(let value): return constant(value, offset)
        case .name(let name):
            guard let meaning = scope.meaning(of: expression) else {
                return fault("there is no variable '\(name)'", offset)
            }
            return node(meaning, offset)
        case .select(let operand, let selection):
            return select(expression, operand, selection)
        case .index(let operand, let index, let isOptional):
            let nodes = [node(operand), node(index)]
            let opcode = isOptional ? Node.Opcode.optionalIndex : .index
            return folded(add(opcode, offset, nodes[0], nodes[1]), nodes)
        case .not(let operand):
            let inner = node(operand)
            return folded(add(.not, offset, inner), [inner])
        case .negate(let operand):
            let inner = node(operand)
            return folded(add(.negate, offset, inner), [inner])
        case .binary(let found, let left, let right):
            let nodes = [node(left), node(right)]
            return folded(add(found.opcode, offset, nodes[0], nodes[1]), nodes)
        case .and(let parts): return logic(.and, parts, offset)
        case .or(let parts): return logic(.or, parts, offset)
        case .conditional(let condition, let yes, let no):
            let nodes = [node(condition), node(yes), node(no)]
            return folded(add(.conditional, offset, nodes[0], nodes[1], nodes[2]), nodes)
        case .list(let elements): return list(elements, offset)
        case .map(let entries): return map(entries, offset)
        case .call(let name, let target, let arguments):
            return call(name, target, arguments, offset)
        case .comprehension(let comprehension): return self.comprehension(comprehension, offset)
        }
    }

    private mutating func node(_ meaning: NameScope.Meaning, _ offset: Int) -> Int32 {
        switch meaning {
        case .local(let position): add(.local, offset, Int32(position))
        case .variable(let slot): add(.variable, offset, Int32(slot))
        case .type(let type): constant(.type(type), offset)
        }
    }

    private mutating func select(
        _ expression: Expression, _ operand: Expression, _ selection: Expression.Selection
    ) -> Int32 {
        if let meaning = scope.meaning(of: expression) { return node(meaning, expression.offset) }
        let inner = node(operand)
        let key = key(selection.field)
        let target = code.nodes[Int(inner)]
        switch selection.style {
        case .plain where target.opcode == .variable:
            return add(.variableField, expression.offset, target.a, key)
        case .plain: return folded(add(.field, expression.offset, inner, key), [inner])
        case .optional: return add(.optionalField, expression.offset, inner, key)
        case .test: return add(.hasField, expression.offset, inner, key)
        }
    }

    private mutating func logic(
        _ opcode: Node.Opcode, _ parts: [Expression], _ offset: Int
    ) -> Int32 {
        let nodes = parts.map { node($0) }
        let start = operands(nodes)
        return folded(add(opcode, offset, start, Int32(nodes.count)), nodes)
    }

    private mutating func list(_ elements: [Expression.Element], _ offset: Int) -> Int32 {
        var parts: [Int32] = []
        for element in elements { parts += [node(element.value), element.isOptional ? 1 : 0] }
        let nodes = stride(from: 0, to: parts.count, by: 2).map { parts[$0] }
        let start = operands(parts)
        return folded(add(.list, offset, start, Int32(elements.count)), nodes)
    }

    private mutating func map(_ entries: [Expression.Entry], _ offset: Int) -> Int32 {
        var parts: [Int32] = []
        for entry in entries {
            let key = node(entry.key)
            parts += [key, node(entry.value.value), entry.value.isOptional ? 1 : 0]
        }
        let nodes = parts.indices.filter { $0 % 3 != 2 }.map { parts[$0] }
        let start = operands(parts)
        return folded(add(.map, offset, start, Int32(entries.count)), nodes)
    }

    private mutating func call(
        _ name: String, _ target: Expression?, _ arguments: [Expression], _ offset: Int
    ) -> Int32 {
        guard let found = scope.function(name, target: target, arguments: arguments.count) else {
            return fault("there is no such function '\(name)'", offset)
        }
        let parts = (found.isMember ? target.map { [$0] } ?? [] : []) + arguments
        let nodes = parts.map { node($0) }
        let start = operands(nodes)
        switch found.function {
        case .host(let index):
            return add(.host, offset, start, Int32(nodes.count), Int32(index))
        case .builtIn(let function):
            if function == .matches { compilePattern(nodes[1]) }
            let called = add(.call, offset, start, Int32(nodes.count), function.rawValue)
            return folded(called, nodes)
        }
    }

    /// Compiles a constant regular expression; a wrong one fails when it is reached.
    private mutating func compilePattern(_ node: Int32) {
        let found = code.nodes[Int(node)]
        guard found.opcode == .constant, case .string(let text) = code.constants[Int(found.a)]
        else { return }
        guard code.patternParts < scope.environment.constantRegexPartsMax else { return }
        do throws(RegexFault) {
            let program = try RegexProgram(text)
            code.patternParts += program.visits
            code.patterns[Int(found.a)] = program
        } catch {
            code.patternParts += error.visits
            code.patternFault = code.patternFault ?? error.message
        }
    }

    private mutating func comprehension(
        _ comprehension: Expression.Comprehension, _ offset: Int
    ) -> Int32 {
        let range = node(comprehension.range)
        let local = scope.locals.count
        scope.push(comprehension.names)
        code.locals = max(code.locals, scope.locals.count)
        let plan = ComprehensionPlan(
            macro: comprehension.macro, range: range, local: local,
            hasTwo: comprehension.names.count == 2,
            condition: comprehension.condition.map { node($0) },
            result: comprehension.result.map { node($0) })
        scope.pop(comprehension.names.count)
        code.comprehensions.append(plan)
        return add(.comprehension, offset, Int32(code.comprehensions.count - 1))
    }
}

extension BinaryOperator {
    fileprivate var opcode: Node.Opcode {
        switch self {
        case .add: .add
        case .subtract: .subtract
        case .multiply: .multiply
        case .divide: .divide
        case .remainder: .remainder
        case .equal: .equal
        case .notEqual: .notEqual
        case .less: .less
        case .lessOrEqual: .lessOrEqual
        case .greater: .greater
        case .greaterOrEqual: .greaterOrEqual
        case .contained: .contained
        }
    }
}
