extension CELValue: Equatable {
    /// Whether the language's `==` is true: numbers of different types by their value, maps without
    /// regard to order, NaN never.
    ///
    /// It visits every element. A value that repeats another many times can be much larger than
    /// the memory it takes: within an evaluation, the budget bounds the work.
    public static func == (one: CELValue, other: CELValue) -> Bool {
        var budget = Budget(limits: .unlimited)
        return (try? one.isEqual(to: other, &budget)) ?? false
    }

    /// The language's `==`, one step for each element and each 64 bytes of text.
    ///
    /// - Throws: ``EvaluationFailure`` when the budget is spent.
    func isEqual(
        to other: CELValue, _ budget: inout Budget
    ) throws(EvaluationFailure) -> Bool {
        switch (self, other) {
        case (.int(let left), .int(let right)): return left == right
        case (.null, .null): return true
        case (.bool(let left), .bool(let right)): return left == right
        case (.string(let left), .string(let right)):
            try budget.spend(work: min(left.utf8.count, right.utf8.count))
            return left.hasSameBytes(as: right)
        case (.bytes(let left), .bytes(let right)):
            try budget.spend(work: min(left.count, right.count))
            return left == right
        case (.list(let left), .list(let right)):
            return try Self.areEqual(left, right, &budget)
        case (.map(let left), .map(let right)): return try left.isEqual(to: right, &budget)
        case (.timestamp(let left), .timestamp(let right)): return left == right
        case (.duration(let left), .duration(let right)): return left == right
        case (.type(let left), .type(let right)): return left.name == right.name
        case (.optional(let left), .optional(let right)):
            guard let left, let right else { return left == nil && right == nil }
            try budget.spend(steps: 1)
            return try left.isEqual(to: right, &budget)
        default: return order(to: other) == .same
        }
    }

    private static func areEqual(
        _ left: [CELValue], _ right: [CELValue], _ budget: inout Budget
    ) throws(EvaluationFailure) -> Bool {
        guard left.count == right.count else { return false }
        for index in left.indices {
            try budget.spend(steps: 1)
            guard try left[index].isEqual(to: right[index], &budget) else { return false }
        }
        return true
    }
}

extension String {
    /// Whether both have the same UTF-8. Swift's `==` compares by canonical equivalence.
    func hasSameBytes(as other: String) -> Bool {
        guard utf8.count == other.utf8.count else { return false }
        let isSame = utf8.withContiguousStorageIfAvailable { left in
            other.utf8.withContiguousStorageIfAvailable { right in
                Self.areSame(UnsafeRawBufferPointer(left), UnsafeRawBufferPointer(right))
            }
        }
        return isSame.flatMap { $0 } ?? utf8.elementsEqual(other.utf8)
    }

    /// Compares eight bytes at a time; both have the same length.
    private static func areSame(
        _ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer
    ) -> Bool {
        var place = 0
        while place + 8 <= left.count {
            let one = left.loadUnaligned(fromByteOffset: place, as: UInt64.self)
            let other = right.loadUnaligned(fromByteOffset: place, as: UInt64.self)
            guard one == other else { return false }
            place += 8
        }
        while place < left.count {
            guard left[place] == right[place] else { return false }
            place += 1
        }
        return true
    }
}
