/// A state that is never final, so that a machine with it runs until somebody stops it.
public protocol NonTerminal: Terminable {}

extension NonTerminal {
    /// Always `false`.
    public var isTerminal: Bool { false }
}
