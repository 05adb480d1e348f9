/// A compiled expression: flat lists that nodes point into.
struct Code {
    var nodes: [Node] = []
    var constants: [CELValue] = []
    var keys: [CELKey] = []
    var operands: [Int32] = []
    var comprehensions: [ComprehensionPlan] = []
    /// The constants that are regular expressions, compiled; nil for the others.
    var patterns: [RegexProgram?] = []
    /// The parts of those.
    var patternParts = 0
    /// What is wrong with the first constant that is a wrong regular expression.
    var patternFault: String?
    /// The steps that computed its constant parts.
    var constantSteps = 0
    /// The variables of macros that exist at the same time.
    var locals = 0
    var root: Int32 = 0
    /// Whether arithmetic converts numbers.
    var isMixed = false
}
