/// A regular expression as instructions for a machine that follows all alternatives at once
/// (Thompson's construction): time grows with text × instructions, never faster.
struct RegexProgram: Sendable {
    enum Instruction: Sendable {
        /// Continues after one code point of the set with this position.
        case set(Int)
        /// Continues at both places.
        case split(Int, Int)
        case jump(Int)
        case assertion(RegexNode.Assertion)
        case match
    }

    private(set) var instructions: [Instruction] = []
    private(set) var sets: [ScalarSet] = []
    /// The work of comparing a code point with each set.
    private(set) var costs: [Int] = []
    /// Visited nodes, also those that add no instruction.
    private(set) var visits = 0

    /// Reads and compiles a text.
    ///
    /// - Throws: ``RegexFault`` if it isn't a regular expression, or is too large.
    init(_ text: String) throws(RegexFault) {
        try add(RegexParser.parse(text))
        try emit(.match)
    }

    private mutating func emit(_ instruction: Instruction) throws(RegexFault) {
        guard instructions.count < CELLimits.regexInstructionsMax else { throw tooLarge }
        instructions.append(instruction)
    }

    private var tooLarge: RegexFault {
        RegexFault(
            "it needs more than \(CELLimits.regexInstructionsMax) instructions", visits: visits)
    }

    private mutating func add(_ node: RegexNode) throws(RegexFault) {
        visits += 1
        guard visits <= CELLimits.regexInstructionsMax * 4 else { throw tooLarge }
        switch node {
        case .empty: break
        case .set(let set):
            sets.append(set)
            costs.append(set.cost)
            try emit(.set(sets.count - 1))
        case .assertion(let assertion): try emit(.assertion(assertion))
        case .sequence(let parts): for part in parts { try add(part) }
        case .alternatives(let branches): try add(alternatives: branches)
        case .repetition(let part, let low, let high):
            for _ in 0..<low { try add(part) }
            if let high {
                try add(part, optional: high - low)
            } else {
                try add(loop: part)
            }
        }
    }

    private mutating func add(alternatives branches: [RegexNode]) throws(RegexFault) {
        var jumps: [Int] = []
        for (index, branch) in branches.enumerated() {
            guard index < branches.count - 1 else {
                try add(branch)
                break
            }
            let split = instructions.count
            try emit(.split(split + 1, 0))
            try add(branch)
            jumps.append(instructions.count)
            try emit(.jump(0))
            instructions[split] = .split(split + 1, instructions.count)
        }
        for jump in jumps { instructions[jump] = .jump(instructions.count) }
    }

    /// Up to `count` times more: each needs the one before.
    private mutating func add(_ part: RegexNode, optional count: Int) throws(RegexFault) {
        var splits: [Int] = []
        for _ in 0..<count {
            splits.append(instructions.count)
            try emit(.split(instructions.count + 1, 0))
            try add(part)
        }
        for split in splits { instructions[split] = .split(split + 1, instructions.count) }
    }

    private mutating func add(loop part: RegexNode) throws(RegexFault) {
        let split = instructions.count
        try emit(.split(split + 1, 0))
        try add(part)
        try emit(.jump(split))
        instructions[split] = .split(split + 1, instructions.count)
    }

    /// Whether a code point is part of a word: an ASCII letter, digit or `_`.
    static func isWord(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "a"..."z", "A"..."Z", "0"..."9", "_": true
        default: false
        }
    }
}

extension RegexProgram {
    /// Whether the expression matches anywhere in a text.
    ///
    /// - Throws: ``EvaluationFailure`` when the budget is spent.
    func matches(_ text: String, _ budget: inout Budget) throws(EvaluationFailure) -> Bool {
        var matcher = RegexMatcher(self)
        return try matcher.search(text, &budget)
    }
}
