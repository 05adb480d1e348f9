/// A regular expression as it was written.
indirect enum RegexNode {
    /// A condition on a place, which takes no text.
    enum Assertion: Sendable {
        case textStart, textEnd, lineStart, lineEnd, wordBoundary, noWordBoundary
    }

    case empty
    case set(ScalarSet)
    case assertion(Assertion)
    case sequence([RegexNode])
    case alternatives([RegexNode])
    /// Nil for no maximum.
    case repetition(RegexNode, Int, Int?)
}
