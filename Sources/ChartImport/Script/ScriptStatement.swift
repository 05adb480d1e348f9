/// A statement of a script.
indirect enum ScriptStatement: Sendable {
    /// `place = value`, also `+=`, `++` and `place.push(value)`, which are rewritten so.
    case assign(ScriptExpression, ScriptExpression, isDeclared: Bool)
    case branch(ScriptExpression, [ScriptStatement], [ScriptStatement])
}
