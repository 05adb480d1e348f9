/// The meaning of names at a place of an expression.
struct NameScope {
    enum Meaning {
        /// A variable of a macro, by its position among those around it.
        case local(Int)
        /// A variable of the environment, by its position there.
        case variable(Int)
        case type(CELType)
    }

    let environment: CELEnvironment
    /// The variables of the macros around the place, innermost last.
    private(set) var locals: [String] = []

    init(_ environment: CELEnvironment) { self.environment = environment }

    mutating func push(_ names: [String]) { locals += names }

    mutating func pop(_ count: Int) { locals.removeLast(count) }

    /// The meaning of a name or of a selection that is a qualified name; nil for other
    /// expressions, unknown names, and selections from a variable.
    func meaning(of expression: Expression) -> Meaning? {
        guard let name = Self.qualifiedName(expression) else { return nil }
        let root = name.prefix { $0 != "." }
        if let local = locals.lastIndex(where: { $0 == root }) {
            return name.utf8.count == root.utf8.count ? .local(local) : nil
        }
        for candidate in environment.candidates(name) {
            if let slot = environment.slots[candidate] { return .variable(slot) }
            if let type = Self.types[candidate] { return .type(type) }
        }
        return nil
    }

    /// What a call means: a function, and whether its target is the first argument.
    func function(
        _ name: String, target: Expression?, arguments: Int
    ) -> (function: CalledFunction, isMember: Bool)? {
        guard let target else {
            return function(named: name, arguments: arguments).map { ($0, false) }
        }
        if let space = Self.qualifiedName(target), !locals.contains(Self.root(space)),
            let found = function(named: space + "." + name, arguments: arguments)
        {
            return (found, false)
        }
        guard let overloads = FunctionTable.members[name],
            let found = FunctionTable.find(overloads, arguments: arguments + 1)
        else { return nil }
        return (.builtIn(found), true)
    }

    private func function(named name: String, arguments: Int) -> CalledFunction? {
        for candidate in environment.candidates(name) {
            let host = environment.functions.firstIndex {
                $0.name == candidate && $0.parameters.count == arguments
            }
            if let host { return .host(host) }
            if let overloads = FunctionTable.globals[candidate],
                let found = FunctionTable.find(overloads, arguments: arguments)
            {
                return .builtIn(found)
            }
        }
        return nil
    }

    /// The name that a chain of selections spells; nil if it isn't made of names alone.
    static func qualifiedName(_ expression: Expression) -> String? {
        var fields: [String] = []
        var rest = expression
        while true {
            switch rest.kind {
            case .name(let name):
                return fields.isEmpty
                    ? name : ([name] + fields.reversed()).joined(separator: ".")
            case .select(let operand, let selection):
                guard selection.style == .plain, !selection.isQuoted else { return nil }
                fields.append(selection.field)
                rest = operand
            default: return nil
            }
        }
    }

    private static func root(_ name: String) -> String { String(name.prefix { $0 != "." }) }

    private static let types = Dictionary(
        uniqueKeysWithValues: CELType.named.map { ($0.name, $0) })
}
