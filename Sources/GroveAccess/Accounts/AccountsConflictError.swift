/// The accounts have changed since they were compared.
package struct AccountsConflictError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The first change that doesn't fit.
    package let change: AccountChange

    init(_ change: AccountChange) { self.change = change }

    /// One sentence.
    package var description: String {
        "the accounts have changed meanwhile: '\(change.line)' of \(change.principal) doesn't fit; "
            + "compare again"
    }
}
