/// One search in a text: a set of threads that all read the same code point.
struct RegexMatcher {
    private let program: RegexProgram
    /// Places of the program that are reached with the next code point.
    private var waiting: [Int] = []
    /// The sets that the next code point is compared with.
    private var threads: [Int] = []
    private var stack: [Int] = []
    /// For each instruction, the place for which it was last added, so that none is added twice.
    private var added: [Int]
    private var isMatch = false

    init(_ program: RegexProgram) {
        self.program = program
        added = Array(repeating: -1, count: program.instructions.count)
    }

    /// Whether the expression matches anywhere in a text, one step for 64 instructions or ranges
    /// of sets.
    ///
    /// - Throws: ``EvaluationFailure`` when the budget is spent.
    mutating func search(
        _ text: String, _ budget: inout Budget
    ) throws(EvaluationFailure) -> Bool {
        var before: Unicode.Scalar?
        var place = 0
        // The list of the instructions' places was made for this search.
        var work = program.instructions.count
        for scalar in text.unicodeScalars {
            work += enter(place, before, scalar)
            try spend(&work, &budget)
            if isMatch { return true }
            for thread in threads {
                guard case .set(let set) = program.instructions[thread] else { continue }
                work += program.costs[set]
                if program.sets[set].contains(scalar) { waiting.append(thread + 1) }
            }
            (before, place) = (scalar, place + 1)
        }
        work += enter(place, before, nil)
        try spend(&work, &budget)
        return isMatch
    }

    /// Spends the whole steps of the work that was done.
    private func spend(_ work: inout Int, _ budget: inout Budget) throws(EvaluationFailure) {
        try budget.spend(steps: work / CELLimits.regexThreadsPerStep)
        work %= CELLimits.regexThreadsPerStep
    }

    /// Finds all threads of a place: those that wait, and a new one from the start.
    ///
    /// - Returns: The number of instructions.
    private mutating func enter(
        _ place: Int, _ before: Unicode.Scalar?, _ after: Unicode.Scalar?
    ) -> Int {
        threads.removeAll(keepingCapacity: true)
        swap(&stack, &waiting)
        stack.append(0)
        var count = 0
        while let position = stack.popLast() {
            guard added[position] != place else { continue }
            added[position] = place
            count += 1
            switch program.instructions[position] {
            case .set: threads.append(position)
            case .split(let one, let other):
                stack.append(other)
                stack.append(one)
            case .jump(let target): stack.append(target)
            case .assertion(let assertion):
                if holds(assertion, before, after) { stack.append(position + 1) }
            case .match: isMatch = true
            }
        }
        return count
    }

    private func holds(
        _ assertion: RegexNode.Assertion, _ before: Unicode.Scalar?, _ after: Unicode.Scalar?
    ) -> Bool {
        switch assertion {
        case .textStart: before == nil
        case .textEnd: after == nil
        case .lineStart: before == nil || before == "\n"
        case .lineEnd: after == nil || after == "\n"
        case .wordBoundary: isBoundary(before, after)
        case .noWordBoundary: !isBoundary(before, after)
        }
    }

    private func isBoundary(_ before: Unicode.Scalar?, _ after: Unicode.Scalar?) -> Bool {
        (before.map(RegexProgram.isWord) ?? false) != (after.map(RegexProgram.isWord) ?? false)
    }
}
