/// The fault in a grant's text.
package struct GrantTextError: Error, Hashable, Sendable {
    /// The offset of the fault in bytes, from 0; the length where the text ends too early.
    package let offset: Int
    /// One sentence: what is wrong, and what to write.
    package let message: String

    init(at offset: Int, _ message: String) {
        self.offset = offset
        self.message = message
    }
}

extension GrantTextError: CustomStringConvertible {
    /// The message and the offset.
    package var description: String { "\(message) (byte \(offset))" }
}
