/// The types found so far for type variables.
///
/// A type can repeat a variable, so written out it can be exponentially larger than the expression:
/// every walk through a type ends after ``CELLimits/typePartsMax`` parts, and the rest is `dyn`.
struct Substitution {
    /// A state that a trial returns to.
    struct Mark {
        fileprivate let changes: Int
    }

    /// The types by the variables' numbers; nil for a variable that isn't known.
    private var types: [CELType?] = []
    /// Each change with the type before it.
    private var changes: [(number: Int, before: CELType?)] = []

    /// A new variable.
    mutating func fresh() -> CELType {
        types.append(nil)
        return .variable(types.count - 1)
    }

    /// The present state.
    var mark: Mark { Mark(changes: changes.count) }

    /// Undoes every change since a mark.
    mutating func revert(to mark: Mark) {
        while changes.count > mark.changes, let change = changes.popLast() {
            types[change.number] = change.before
        }
    }

    private mutating func bind(_ number: Int, _ type: CELType) {
        changes.append((number, types[number]))
        types[number] = type
    }

    /// New variables for those of a signature.
    mutating func instantiate(_ types: [CELType]) -> [CELType] {
        var renamed: [Int: CELType] = [:]
        return types.map { rename($0, &renamed) }
    }

    private mutating func rename(_ type: CELType, _ renamed: inout [Int: CELType]) -> CELType {
        switch type {
        case .variable(let number):
            if let known = renamed[number] { return known }
            let new = fresh()
            renamed[number] = new
            return new
        case .list(let element): return .list(rename(element, &renamed))
        case .map(let key, let value):
            return .map(rename(key, &renamed), rename(value, &renamed))
        case .optional(let value): return .optional(rename(value, &renamed))
        default: return type
        }
    }

    /// The type with every known variable replaced at its top.
    func head(_ type: CELType) -> CELType {
        var type = type
        while case .variable(let number) = type, let known = types[number] { type = known }
        return type
    }

    /// The last variable of those that stand for each other; nil if the type is no variable.
    private func lastVariable(_ type: CELType) -> Int? {
        guard case .variable(var number) = type else { return nil }
        while case .variable(let next)? = types[number] { number = next }
        return number
    }

    /// The type with every known variable replaced.
    func resolved(_ type: CELType) -> CELType {
        var visits = 0
        return resolved(type, &visits)
    }

    private func resolved(_ type: CELType, _ visits: inout Int) -> CELType {
        visits += 1
        guard visits <= CELLimits.typePartsMax else { return .dyn }
        switch head(type) {
        case .list(let element): return .list(resolved(element, &visits))
        case .map(let key, let value):
            return .map(resolved(key, &visits), resolved(value, &visits))
        case .optional(let value): return .optional(resolved(value, &visits))
        case let other: return other
        }
    }

    // MARK: Fitting

    /// Whether a value of type `actual` can be where `expected` is needed. `dyn` fits everything;
    /// variables are bound. A variable of `expected` that stands for `dyn` once is `dyn`.
    mutating func unify(_ expected: CELType, _ actual: CELType) -> Bool {
        var visits = 0
        return unify(expected, actual, &visits)
    }

    private mutating func unify(
        _ expected: CELType, _ actual: CELType, _ visits: inout Int
    ) -> Bool {
        visits += 1
        guard visits <= CELLimits.typePartsMax else { return true }
        let left = head(expected)
        let right = head(actual)
        switch (left, right) {
        case (.dyn, _): return true
        case (_, .dyn):
            loosen(expected, &visits)
            return true
        case (.variable(let one), .variable(let other)) where one == other: return true
        case (.variable(let number), let other), (let other, .variable(let number)):
            guard let isWithin = contains(other, number) else {
                bind(number, .dyn)
                return true
            }
            if !isWithin { bind(number, other) }
            return !isWithin
        default:
            guard unifyParts(left, right, &visits) else { return false }
            if let number = lastVariable(expected) { bind(number, general(left, right)) }
            return true
        }
    }

    /// Two types that are neither `dyn` nor variables.
    private mutating func unifyParts(
        _ expected: CELType, _ actual: CELType, _ visits: inout Int
    ) -> Bool {
        switch (expected, actual) {
        case (.list(let left), .list(let right)), (.optional(let left), .optional(let right)):
            return unify(left, right, &visits)
        case (.map(let leftKey, let left), .map(let rightKey, let right)):
            return unify(leftKey, rightKey, &visits) && unify(left, right, &visits)
        case (.object, .map(let key, _)): return unify(.string, key, &visits)
        case (.map(let key, let value), .object):
            loosen(value, &visits)
            return unify(key, .string, &visits)
        case (.object, .object): return true
        default: return expected == actual
        }
    }

    /// Makes every variable of a type `dyn`.
    private mutating func loosen(_ type: CELType, _ visits: inout Int) {
        visits += 1
        guard visits <= CELLimits.typePartsMax else { return }
        if let number = lastVariable(type) { return bind(number, .dyn) }
        switch type {
        case .list(let element): loosen(element, &visits)
        case .map(let key, let value):
            loosen(key, &visits)
            loosen(value, &visits)
        case .optional(let value): loosen(value, &visits)
        default: break
        }
    }

    /// Whether a variable is part of a type; nil if the type is too large to say.
    private func contains(_ type: CELType, _ number: Int) -> Bool? {
        var rest = [type]
        var visits = 0
        while let next = rest.popLast() {
            visits += 1
            guard visits <= CELLimits.typePartsMax else { return nil }
            switch head(next) {
            case .variable(let other): if other == number { return true }
            case .list(let element): rest.append(element)
            case .map(let key, let value): rest += [key, value]
            case .optional(let value): rest.append(value)
            default: break
            }
        }
        return false
    }

    /// The type of a value that has one of two types: `dyn` where they differ.
    mutating func join(_ one: CELType, _ other: CELType) -> CELType {
        let start = mark
        guard unify(one, other) else {
            revert(to: start)
            return .dyn
        }
        return general(one, other)
    }

    /// Of two types that fit, the one with more `dyn`.
    private func general(_ one: CELType, _ other: CELType) -> CELType {
        var visits = 0
        return general(one, other, &visits)
    }

    private func general(_ one: CELType, _ other: CELType, _ visits: inout Int) -> CELType {
        visits += 1
        guard visits <= CELLimits.typePartsMax else { return .dyn }
        switch (head(one), head(other)) {
        case (.dyn, _), (_, .dyn): return .dyn
        case (.list(let left), .list(let right)): return .list(general(left, right, &visits))
        case (.optional(let left), .optional(let right)):
            return .optional(general(left, right, &visits))
        case (.map(let leftKey, let left), .map(let rightKey, let right)):
            return .map(general(leftKey, rightKey, &visits), general(left, right, &visits))
        case (.object(let left), .object(let right)): return left == right ? .object(left) : .dyn
        case (.object, .map), (.map, .object): return .map(.string, .dyn)
        case (let type, _): return type
        }
    }
}
