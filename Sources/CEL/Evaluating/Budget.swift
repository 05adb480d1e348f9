/// The steps and bytes that an evaluation has left.
struct Budget {
    let limits: CELLimits
    private(set) var steps: Int
    private var bytes: Int

    init(limits: CELLimits) { self.init(limits: limits, steps: limits.steps) }

    /// A budget with fewer steps than the limits allow.
    init(limits: CELLimits, steps: Int) {
        self.limits = limits
        self.steps = max(0, min(steps, limits.steps))
        bytes = max(0, limits.totalBytes)
    }

    /// Spends steps.
    ///
    /// - Throws: ``EvaluationFailure`` if none are left.
    @inline(__always)
    mutating func spend(steps count: Int) throws(EvaluationFailure) {
        steps -= count
        if steps < 0 { throw spent() }
    }

    /// Spends a step for each 64 bytes that are read.
    ///
    /// - Throws: ``EvaluationFailure`` if none are left.
    @inline(__always)
    mutating func spend(work count: Int) throws(EvaluationFailure) {
        try spend(steps: count >> 6)
    }

    @inline(never)
    private func spent() -> EvaluationFailure {
        .limit("the expression needs more than \(limits.steps) steps")
    }

    /// Spends the bytes of a text that is about to be made.
    ///
    /// - Throws: ``EvaluationFailure`` if it is too long, or the total is reached.
    mutating func make(text count: Int) throws(EvaluationFailure) {
        guard count <= limits.textBytes else {
            throw .limit("a text has more than \(limits.textBytes) bytes")
        }
        try spend(work: count)
        try take(count)
    }

    /// Spends the bytes of a list, with elements of 24 bytes, that is about to be made.
    ///
    /// - Throws: ``EvaluationFailure`` if it is too long, or the total is reached.
    mutating func make(elements count: Int) throws(EvaluationFailure) {
        try make(count, bytesEach: 24)
    }

    /// Spends the bytes of a map, with entries of 64 bytes, that is about to be made.
    ///
    /// - Throws: ``EvaluationFailure`` if it is too large, or the total is reached.
    mutating func make(entries count: Int) throws(EvaluationFailure) {
        try make(count, bytesEach: 64)
    }

    private mutating func make(
        _ count: Int, bytesEach size: Int
    ) throws(EvaluationFailure) {
        guard count <= limits.elements else {
            throw .limit("a list or map has more than \(limits.elements) elements")
        }
        try spend(work: count * size)
        try take(count * size)
    }

    private mutating func take(_ count: Int) throws(EvaluationFailure) {
        bytes -= count
        if bytes < 0 {
            throw .limit("the expression makes more than \(limits.totalBytes) bytes")
        }
    }

    /// Checks the size of a result: all bytes of a value, each time that a part is repeated, and
    /// the levels of lists, maps and optional values.
    ///
    /// - Throws: ``EvaluationFailure`` if it is too large.
    func check(result: CELValue) throws(EvaluationFailure) {
        var rest = max(0, limits.resultBytes)
        try subtract(result, from: &rest, levels: 0)
    }

    /// Subtracts the size of a value within a number of levels; throws as soon as less than 0 is
    /// left.
    private func subtract(
        _ value: CELValue, from rest: inout Int, levels: Int
    ) throws(EvaluationFailure) {
        guard levels <= CELLimits.resultLevelsMax else {
            throw .limit("the result has more than \(CELLimits.resultLevelsMax) levels")
        }
        switch value {
        case .string(let text): rest -= text.utf8.count
        case .bytes(let bytes): rest -= bytes.count
        case .list(let elements):
            for element in elements {
                rest -= 24
                try subtract(element, from: &rest, levels: levels + 1)
            }
        case .map(let map):
            for entry in map.entries {
                rest -= 64
                try subtract(entry.key.value, from: &rest, levels: levels)
                try subtract(entry.value, from: &rest, levels: levels + 1)
            }
        case .optional(let value?):
            rest -= 24
            try subtract(value, from: &rest, levels: levels + 1)
        default: break
        }
        guard rest >= 0 else {
            throw .limit("the result has more than \(limits.resultBytes) bytes")
        }
    }
}
