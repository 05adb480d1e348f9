extension TypeChecker {
    /// The type of a call.
    mutating func call(
        _ name: String, _ target: Expression?, _ arguments: [Expression], _ offset: Int
    ) -> CELType {
        guard let found = scope.function(name, target: target, arguments: arguments.count) else {
            return unknown(name, target, arguments, offset)
        }
        let operands = (found.isMember ? target.map { [$0] } ?? [] : []) + arguments
        let operandTypes = operands.map { type(of: $0) }
        switch found.function {
        case .host(let index):
            let function = scope.environment.functions[index]
            let signature = [Overload(function.parameters, function.result)]
            return call(name, signature, operandTypes, offset)
        case .builtIn(let function):
            if function.isVariadic { return extremum(name, operandTypes, offset) }
            let table =
                found.isMember ? FunctionTable.memberOverloads : FunctionTable.globalOverloads
            let overloads = table[function] ?? []
            return call(name, overloads, operandTypes, offset)
        }
    }

    private mutating func unknown(
        _ name: String, _ target: Expression?, _ arguments: [Expression], _ offset: Int
    ) -> CELType {
        for argument in arguments { _ = type(of: argument) }
        let count = arguments.count == 1 ? "1 argument" : "\(arguments.count) arguments"
        let what = "function '\(name)' with \(count)"
        let isGlobal = FunctionTable.globals[name] != nil
        if target != nil, isGlobal, FunctionTable.members[name] == nil {
            return report("there is no \(what); write \(name)(x) instead of x.\(name)()", offset)
        }
        if target == nil, !isGlobal, FunctionTable.members[name] != nil {
            return report("there is no \(what); write x.\(name)() instead of \(name)(x)", offset)
        }
        let space = target.flatMap { NameScope.qualifiedName($0) }.map { $0 + "." } ?? ""
        let prefixed = (Array(FunctionTable.globals.keys) + scope.environment.functions.map(\.name))
            .filter { $0.hasPrefix(space) }.map { String($0.dropFirst(space.utf8.count)) }
        let members =
            target == nil
            ? [] : FunctionTable.members.keys + Macro.allCases.map(\.rawValue)
        let known = (prefixed + members).filter { $0 != name }
        return unknown(what, name, among: known, offset)
    }

    /// The type of the greatest or least of numbers, or of a list of them.
    private mutating func extremum(
        _ name: String, _ arguments: [CELType], _ offset: Int
    ) -> CELType {
        var numbers = arguments.map { types.head($0) }
        if numbers.count == 1, case .list(let element) = numbers[0] {
            numbers = [types.head(element)]
        }
        let allowed = numbers.allSatisfy { type in
            if case .variable = type { return true }
            return type == .dyn || type.isNumber
        }
        guard allowed else {
            let shown = arguments.map { self.shown($0) }.joined(separator: ", ")
            return report("'\(name)' can't be applied to (\(shown))", offset)
        }
        return numbers.dropFirst().allSatisfy { $0 == numbers[0] } ? numbers[0] : .dyn
    }

    /// The type of a macro.
    mutating func comprehension(_ comprehension: Expression.Comprehension) -> CELType {
        let rangeType = type(of: comprehension.range)
        let range = types.head(rangeType)
        let names = variables(of: comprehension, range)
        scope.push(comprehension.names)
        locals += names
        defer {
            scope.pop(comprehension.names.count)
            locals.removeLast(names.count)
        }
        if let condition = comprehension.condition {
            expect(.bool, condition, "\(comprehension.macro)")
        }
        let result = comprehension.result.map { type(of: $0) } ?? .dyn
        switch comprehension.macro {
        case .all, .exists, .existsOne: return .bool
        case .filter: return .list(names[0])
        case .map, .transformList: return .list(result)
        case .transformMap: return .map(names[0], result)
        case .transformMapEntry:
            let (key, value) = (types.fresh(), types.fresh())
            return call(
                "transformMapEntry", [Overload([.map(key, value)], .map(key, value))], [result],
                comprehension.result?.offset ?? 0)
        case .optMap: return .optional(result)
        case .optFlatMap:
            let value = types.fresh()
            if !types.unify(.optional(value), result) {
                return report(
                    "'optFlatMap' needs an optional value, and this is \(shown(result))",
                    comprehension.result?.offset ?? 0)
            }
            return .optional(value)
        }
    }

    /// The types of a macro's variables.
    private mutating func variables(
        of comprehension: Expression.Comprehension, _ range: CELType
    ) -> [CELType] {
        let hasTwo = comprehension.names.count == 2
        let isOptional = comprehension.macro == .optMap || comprehension.macro == .optFlatMap
        switch range {
        case .optional(let value) where isOptional: return [value]
        case .list(let element) where !isOptional: return hasTwo ? [.int, element] : [element]
        case .map(let key, let value) where !isOptional: return hasTwo ? [key, value] : [key]
        case .object where !isOptional: return hasTwo ? [.string, .dyn] : [.string]
        case .dyn, .variable: break
        default:
            let needed = isOptional ? "an optional value" : "a list or map"
            report(
                "'\(comprehension.macro)' needs \(needed), and this is \(shown(range))",
                comprehension.range.offset)
        }
        return Array(repeating: .dyn, count: comprehension.names.count)
    }
}
