/// The types found so far for type variables.
struct Substitution {
    private var types: [Int: CELType] = [:]
    private var next = 0

    /// A new variable.
    mutating func fresh() -> CELType {
        next += 1
        return .variable(next)
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

    /// The type with every known variable replaced.
    func resolved(_ type: CELType) -> CELType {
        switch head(type) {
        case .list(let element): .list(resolved(element))
        case .map(let key, let value): .map(resolved(key), resolved(value))
        case .optional(let value): .optional(resolved(value))
        case let other: other
        }
    }

    /// Whether a value of type `actual` can be where `expected` is needed. `dyn` fits everything;
    /// variables are bound.
    mutating func unify(_ expected: CELType, _ actual: CELType) -> Bool {
        let expected = head(expected)
        let actual = head(actual)
        switch (expected, actual) {
        case (.dyn, _), (_, .dyn): return true
        case (.variable(let left), .variable(let right)) where left == right: return true
        case (.variable(let number), let other), (let other, .variable(let number)):
            guard !contains(other, number) else { return false }
            types[number] = other
            return true
        case (.list(let left), .list(let right)), (.optional(let left), .optional(let right)):
            return unify(left, right)
        case (.map(let leftKey, let left), .map(let rightKey, let right)):
            return unify(leftKey, rightKey) && unify(left, right)
        case (.object, .map(let key, _)), (.map(let key, _), .object): return unify(.string, key)
        case (.object, .object): return true
        default: return expected == actual
        }
    }

    private func contains(_ type: CELType, _ number: Int) -> Bool {
        switch head(type) {
        case .variable(let other): other == number
        case .list(let element): contains(element, number)
        case .map(let key, let value): contains(key, number) || contains(value, number)
        case .optional(let value): contains(value, number)
        default: false
        }
    }

    /// The type of a value that has one of two types: `dyn` where they differ.
    mutating func join(_ one: CELType, _ other: CELType) -> CELType {
        var trial = self
        guard trial.unify(one, other) else { return .dyn }
        self = trial
        return general(one, other)
    }

    /// Of two types that fit, the one with more `dyn`.
    private func general(_ one: CELType, _ other: CELType) -> CELType {
        switch (head(one), head(other)) {
        case (.dyn, _), (_, .dyn): .dyn
        case (.list(let left), .list(let right)): .list(general(left, right))
        case (.optional(let left), .optional(let right)): .optional(general(left, right))
        case (.map(let leftKey, let left), .map(let rightKey, let right)):
            .map(general(leftKey, rightKey), general(left, right))
        case (.object(let left), .object(let right)): left == right ? .object(left) : .dyn
        case (.object, .map): .map(.string, .dyn)
        case (let type, _): type
        }
    }
}
