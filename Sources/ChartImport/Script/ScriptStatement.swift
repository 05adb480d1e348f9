/// A statement of a script.
indirect enum ScriptStatement: Sendable {
    /// What a declaration reaches.
    enum Reach: Sendable {
        /// The whole script, and the context.
        case script
        /// Only the block around it (`let` and `const` within `{}`).
        case block
    }

    /// `place = value`, also `+=`, `++` and `place.push(value)`, which are rewritten so; with its
    /// reach if it declares the name.
    case assign(ScriptExpression, ScriptExpression, Reach?)
    /// `var name` without a value.
    case declare(String)
    case branch(ScriptExpression, [ScriptStatement], [ScriptStatement])
}
