/// The reason why a text is no identity.
package struct IdentityError: Error, Hashable, Sendable, CustomStringConvertible {
    /// One sentence: the fault, and what to write.
    package let description: String

    init(_ description: String) { self.description = description }

    /// A `*` where people expect a pattern.
    static let pattern = IdentityError(
        "an identity is compared byte for byte and has no '*': list each name")
}
