/// The faults of an expression that wasn't compiled: one of syntax, or every type error.
public struct CELErrors: Error, Hashable, Sendable {
    /// The faults by their place; there is at least one.
    public let all: [CELError]

    init(_ all: [CELError]) {
        precondition(!all.isEmpty, "an expression that isn't compiled has a fault")
        self.all = all.sorted { $0.offset < $1.offset }
    }

    /// The fault that comes first in the text.
    public var first: CELError { all[0] }
}

extension CELErrors: CustomStringConvertible {
    /// Each fault with its line and caret.
    public var description: String { all.map(\.description).joined(separator: "\n") }
}
