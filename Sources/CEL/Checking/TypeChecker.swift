/// Finds the type of every part of an expression, and the parts whose types don't fit.
struct TypeChecker {
    /// A type error with its place.
    struct Fault {
        let message: String
        let offset: Int
    }

    private(set) var errors: [Fault] = []
    var scope: NameScope
    var types = Substitution()
    /// The types of the scope's local variables.
    var locals: [CELType] = []

    init(_ environment: CELEnvironment) { scope = NameScope(environment) }

    /// Checks a whole expression.
    ///
    /// - Returns: Its type, `dyn` where it isn't known.
    mutating func check(_ root: Expression, expecting expected: CELType) -> CELType {
        let found = type(of: root)
        if !types.unify(expected, found) {
            report("the result must be \(expected), and is \(shown(found))", root.offset)
        }
        return known(types.resolved(found))
    }

    private func known(_ type: CELType) -> CELType {
        switch type {
        case .variable: .dyn
        case .list(let element): .list(known(element))
        case .map(let key, let value): .map(known(key), known(value))
        case .optional(let value): .optional(known(value))
        default: type
        }
    }

    /// Adds an error; the type of the part is then `dyn`, so that it is reported once.
    @discardableResult
    mutating func report(_ message: String, _ offset: Int) -> CELType {
        if errors.count < CELLimits.errorsMax {
            errors.append(Fault(message: message, offset: offset))
        }
        return .dyn
    }

    /// Reports an unknown name, with a similar one.
    @discardableResult
    mutating func unknown(
        _ what: String, _ name: String, among known: some Sequence<String>, _ offset: Int
    ) -> CELType {
        guard errors.count < CELLimits.errorsMax else { return .dyn }
        let near =
            scope.environment.suggestsNames ? NearName.nearest(to: name, among: known) : nil
        let hint = near.map { "; did you mean '\($0)'?" } ?? ""
        return report("there is no \(what)\(hint)", offset)
    }

    func shown(_ type: CELType) -> String {
        let text = known(types.resolved(type)).description
        return text.utf8.count <= 100 ? text : "\(type.name)(…)"
    }

    mutating func type(of expression: Expression) -> CELType {
        switch expression.kind {
        case .literal(let value): return value.type
        case .name(let name):
            guard let meaning = scope.meaning(of: expression) else {
                let known = scope.environment.variables.map(\.name) + scope.locals
                return unknown("variable '\(name)'", name, among: known, expression.offset)
            }
            return type(of: meaning)
        case .select(let operand, let selection):
            if let meaning = scope.meaning(of: expression) { return type(of: meaning) }
            return select(operand, selection, expression.offset)
        case .index(let operand, let index, let isOptional):
            return self.index(operand, index, isOptional, expression.offset)
        case .not(let operand):
            expect(.bool, operand, "!")
            return .bool
        case .negate(let operand):
            let found = type(of: operand)
            return call("-", OperatorTable.negate, [found], expression.offset)
        case .binary(let found, let left, let right):
            return binary(found, left, right, expression.offset)
        case .and(let operands):
            for operand in operands { expect(.bool, operand, "&&") }
            return .bool
        case .or(let operands):
            for operand in operands { expect(.bool, operand, "||") }
            return .bool
        case .conditional(let condition, let yes, let no):
            return conditional(condition, yes, no, expression.offset)
        case .list(let elements): return list(elements)
        case .map(let entries): return map(entries)
        case .call(let name, let target, let arguments):
            return call(name, target, arguments, expression.offset)
        case .comprehension(let comprehension):
            return self.comprehension(comprehension)
        }
    }

    private func type(of meaning: NameScope.Meaning) -> CELType {
        switch meaning {
        case .local(let position): locals[position]
        case .variable(let slot): known(scope.environment.variables[slot].type)
        case .type: .type
        }
    }

    mutating func expect(_ expected: CELType, _ operand: Expression, _ user: String) {
        let found = type(of: operand)
        if !types.unify(expected, found) {
            report("'\(user)' needs \(expected), and this is \(shown(found))", operand.offset)
        }
    }

    private mutating func conditional(
        _ condition: Expression, _ yes: Expression, _ no: Expression, _ offset: Int
    ) -> CELType {
        expect(.bool, condition, "?")
        let first = type(of: yes)
        let second = type(of: no)
        // `null` stands for a missing value of any type.
        if types.head(first) == .null || types.head(second) == .null {
            return types.join(first, second)
        }
        let start = types.mark
        guard types.unify(first, second) else {
            types.revert(to: start)
            return report(
                "'?' needs results of one type: \(shown(first)) or \(shown(second)); "
                    + "dyn(x) allows both", offset)
        }
        return types.join(first, second)
    }

    // MARK: Signatures

    /// The result of the signatures that fit; of several, `dyn` if their results differ.
    mutating func call(
        _ name: String, _ overloads: [Overload], _ arguments: [CELType], _ offset: Int
    ) -> CELType {
        let start = types.mark
        var fitting: [(overload: Overload, result: CELType)] = []
        for overload in overloads {
            if let result = result(of: overload, arguments) {
                fitting.append((overload, known(types.resolved(result))))
            }
            types.revert(to: start)
        }
        guard let first = fitting.first else {
            let shown = arguments.map { self.shown($0) }.joined(separator: ", ")
            return report("'\(name)' can't be applied to (\(shown))", offset)
        }
        // Only a single signature says more about the arguments' types.
        if fitting.count == 1, let result = result(of: first.overload, arguments) { return result }
        return fitting.allSatisfy { $0.result == first.result } ? first.result : .dyn
    }

    /// The result of a signature, whose variables are bound; nil if it doesn't fit.
    private mutating func result(of overload: Overload, _ arguments: [CELType]) -> CELType? {
        guard overload.parameters.count == arguments.count else { return nil }
        let signature = types.instantiate(overload.parameters + [overload.result])
        for (parameter, argument) in zip(signature, arguments) {
            guard types.unify(parameter, argument) else { return nil }
        }
        return signature[arguments.count]
    }

    private mutating func binary(
        _ found: BinaryOperator, _ left: Expression, _ right: Expression, _ offset: Int
    ) -> CELType {
        let arguments = [type(of: left), type(of: right)]
        let mixed = scope.environment.allowsMixedArithmetic
        guard found == .equal || found == .notEqual else {
            let overloads = OperatorTable.overloads(found, mixed: mixed)
            return call(found.rawValue, overloads, arguments, offset)
        }
        let heads = arguments.map { types.head($0) }
        if heads.contains(.null) || mixed && heads.allSatisfy(\.isNumber) { return .bool }
        if !types.unify(arguments[0], arguments[1]) {
            report(
                "'\(found.rawValue)' compares \(shown(arguments[0])) with "
                    + "\(shown(arguments[1])), which are never equal; dyn(x) allows it", offset)
        }
        return .bool
    }
}
